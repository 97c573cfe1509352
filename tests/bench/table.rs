//! The table of figures: each beside its floor.

/// What a ratio or a time has to be for an `ok`.
#[derive(Clone, Copy, Debug)]
pub enum Floor {
    /// A figure to look at; nothing is asked of it.
    None,
    AtLeast(f64),
    AtMost(f64),
}

/// Begins the table of a section.
pub fn section(title: &str) {
    println!("\n{title}");
    println!(
        "  {:<58} {:>24} {:>8} {:>9}",
        "figure", "measured", "judged", "floor"
    );
}

/// Prints one figure: as measured, and the number that is judged, with what it has to be.
pub fn row(figure: &str, measured: &str, judged: f64, floor: Floor) {
    let (bound, good) = match floor {
        Floor::None => (String::new(), None),
        Floor::AtLeast(least) => (format!(">= {least}"), Some(judged >= least)),
        Floor::AtMost(most) => (format!("<= {most}"), Some(judged <= most)),
    };
    let verdict = match good {
        None => "",
        Some(true) => "ok",
        Some(false) => "BELOW",
    };
    println!("  {figure:<58} {measured:>24} {judged:>8.2} {bound:>9} {verdict}");
}

/// The middle one of some figures.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
