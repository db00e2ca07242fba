// The colours that were chosen, before anything is drawn: a plain script in the head.
try {
  const chosen = localStorage.getItem("assay-colours");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the page follows the system.
}
