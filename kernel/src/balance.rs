//! How much more often a number of one sample is above a number of another than below it.

/// Over all pairs of a number of `a` and one of `b`, both ascending: those where b's is larger less those where it is
/// smaller.
pub fn balance(a: &[f64], b: &[f64]) -> i64 {
    // How many numbers of `a` are below each of `b`, and how many are not above it, together.
    let (mut below, mut first, mut second) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(first), b.get(second)) {
        if one == other {
            let (same, others) = (equal(&a[first..], *one), equal(&b[second..], *one));
            below += others * (2 * first + same);
            (first, second) = (first + same, second + others);
        } else {
            let is_below = one < other;
            below += if is_below { 0 } else { 2 * first };
            first += usize::from(is_below);
            second += usize::from(!is_below);
        }
    }
    below += 2 * a.len() * (b.len() - second);
    below as i64 - (a.len() * b.len()) as i64
}

/// How many numbers at the start are this one.
fn equal(numbers: &[f64], number: f64) -> usize {
    numbers.iter().take_while(|&&each| each == number).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, pair by pair.
    fn counted(a: &[f64], b: &[f64]) -> i64 {
        let sign = |one: f64, other: f64| other.total_cmp(&one) as i64;
        a.iter().flat_map(|&one| b.iter().map(move |&other| sign(one, other))).sum()
    }

    #[test]
    fn is_that_of_all_pairs() {
        let samples: [&[f64]; 7] = [
            &[],
            &[1.0],
            &[1.0, 1.0, 2.0],
            &[2.0, 3.0],
            &[0.5, 1.0, 1.0, 2.5, 3.0, 3.0, 4.0],
            &[-1.0, 0.25, 1.0, 2.0, 3.0],
            &[5.0, 6.0],
        ];
        for a in samples {
            for b in samples {
                assert_eq!(balance(a, b), counted(a, b), "{a:?} {b:?}");
            }
        }
    }
}
