//! The table of figures with their limits.

/// The limit of a ratio or a time.
#[derive(Clone, Copy, Debug)]
pub enum Floor {
    /// A figure without a limit.
    None,
    AtLeast(f64),
    AtMost(f64),
}

/// Starts the table of a section.
pub fn section(title: &str) {
    println!("\n{title}");
    println!(
        "  {:<58} {:>24} {:>8} {:>9}",
        "figure", "measured", "judged", "floor"
    );
}

/// Prints one figure: as measured, and the number that is compared with its limit.
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

/// The median.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
