//! What ranking gives: the judged documents that were retrieved, with the counts that make their ranks.

/// One judged document that a query retrieved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number among all judged documents.
    pub document: u32,
    pub score: f64,
    /// How many documents of the ranking score strictly higher.
    pub higher: u32,
    /// How many others have the same score.
    pub tied: u32,
    /// How many of those come before it when ties go by document id from high to low, from low to high, and as given.
    pub before_descending: u32,
    pub before_ascending: u32,
    pub before_input: u32,
}

/// One ranked query: how much it retrieved and which hits are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    pub query: u32,
    pub retrieved: u32,
    pub first_hit: usize,
    pub hits: u32,
    /// Documents left out because the query lists them more than once.
    pub repeats_dropped: u32,
    /// Documents left out because they are named like the query.
    pub excluded: u32,
}

/// The rankings seen so far, in the order they were seen.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    pub facts: Vec<Fact>,
    pub hits: Vec<Hit>,
}

impl Judged {
    /// Takes over what another one saw.
    pub fn append(&mut self, other: &Judged) {
        let shift = self.hits.len();
        self.hits.extend_from_slice(&other.hits);
        self.facts.extend(other.facts.iter().map(|fact| Fact { first_hit: fact.first_hit + shift, ..*fact }));
    }

    pub fn hits_of(&self, fact: &Fact) -> &[Hit] {
        self.hits.get(fact.first_hit..fact.first_hit + fact.hits as usize).unwrap_or_default()
    }
}
