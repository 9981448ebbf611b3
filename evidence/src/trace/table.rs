//! The text of `key_averages().table()`: columns by their names, times and sizes with their units.

use serde::Serialize;
use serde_json::Value;

use super::TraceError;
use super::summary::share;

/// Rows of one table at most; PyTorch prints 100 unless it is asked for more.
const MAX_ROWS: usize = 2000;
/// Tables of one report.
const MAX_TABLES: usize = 50;
const MAX_NAME: usize = 300;

/// One row. A column that the table does not have is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OperatorRow {
    pub name: String,
    pub calls: Option<u64>,
    pub self_cpu_ns: Option<u64>,
    pub cpu_total_ns: Option<u64>,
    pub cpu_average_ns: Option<u64>,
    pub self_device_ns: Option<u64>,
    pub device_total_ns: Option<u64>,
    pub device_average_ns: Option<u64>,
    /// What the row's own calls allocated less what they freed, as precisely as the table prints it.
    pub self_cpu_bytes: Option<i64>,
    pub cpu_bytes: Option<i64>,
    pub self_device_bytes: Option<i64>,
    pub device_bytes: Option<i64>,
}

/// A table of operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperatorTable {
    pub rows: Vec<OperatorRow>,
    /// Rows whose cells do not fit the columns.
    pub skipped: usize,
    pub self_cpu_total_ns: Option<u64>,
    pub self_device_total_ns: Option<u64>,
}

impl OperatorTable {
    /// The average step as the profiler saw it: the longest of the `ProfilerStep*` rows, of which one is the host's and
    /// one the device's. The host's column counts, the device's only where the table has no other.
    pub fn step_ns(&self) -> Option<u64> {
        let steps = || self.rows.iter().filter(|row| row.name.starts_with("ProfilerStep"));
        let longest = |of: fn(&OperatorRow) -> Option<u64>| steps().filter_map(of).max().filter(|ns| *ns > 0);
        longest(|row| row.cpu_average_ns).or_else(|| longest(|row| row.device_average_ns))
    }
}

/// The table of one strategy of a profile report of lab 74, beside its measured step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfiledTable {
    /// The strategy; empty for a table that came alone.
    pub name: String,
    /// The step as the script timed it under the profiler.
    pub step_time_ms: Option<f64>,
    pub table: OperatorTable,
}

impl ProfiledTable {
    /// See [`OperatorTable::step_ns`].
    pub fn step_ns(&self) -> Option<u64> {
        self.table.step_ns()
    }

    /// The part of the timed step that lies outside of `ProfilerStep*`: stopping the profiler and writing its trace.
    /// Absent where one of both is missing or the step is not the longer.
    pub fn outside_share(&self) -> Option<f64> {
        let (timed, inside) = (self.step_time_ms? * 1e6, self.step_ns()?);
        (timed > inside as f64).then(|| 1.0 - inside as f64 / timed)
    }

    /// A row's part of the device time of the whole table.
    pub fn device_share(&self, row: &OperatorRow) -> Option<f64> {
        Some(share(row.self_device_ns?, self.table.self_device_total_ns?))
    }
}

/// Whether a text may hold a table.
pub(super) fn looks_like_one(text: &str) -> bool {
    text.contains("# of Calls") || text.contains("Self CPU")
}

/// Reads the first table of a text.
///
/// # Errors
/// [`TraceError::Table`] with the line, when there is no head with `Name` and `# of Calls`, or no row.
pub fn read_table(text: &str) -> Result<OperatorTable, TraceError> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let wrong = |line: usize, expected, found: &str| TraceError::Table {
        line,
        expected,
        found: found.trim().chars().take(80).collect(),
    };
    let head = lines.by_ref().find(|(line, _)| !is_rule(line) && line.contains("# of Calls"));
    let Some((head, head_line)) = head else {
        return Err(wrong(1, "a head with Name and # of Calls", text.lines().next().unwrap_or_default()));
    };
    let columns: Vec<Column> = cells(head).map(Column::of).collect();
    if columns.first() != Some(&Column::Name) {
        return Err(wrong(head_line, "Name as the first column", head));
    }
    let mut table = OperatorTable { rows: Vec::new(), skipped: 0, self_cpu_total_ns: None, self_device_total_ns: None };
    let mut ended = false;
    for (line, _) in lines {
        if is_rule(line) {
            // The rule below the head, and the one below the rows.
            ended = !table.rows.is_empty();
        } else if let Some((name, time)) = line.trim().split_once("time total:") {
            let total = time_ns(time);
            match name.trim() {
                "Self CPU" => table.self_cpu_total_ns = total,
                _ => table.self_device_total_ns = total,
            }
        } else if !ended {
            match row(line, &columns) {
                Some(row) if table.rows.len() < MAX_ROWS => table.rows.push(row),
                _ => table.skipped += 1,
            }
        }
    }
    match table.rows.is_empty() {
        true => Err(wrong(head_line, "a row below the head", head)),
        false => Ok(table),
    }
}

/// The tables in a profile report of lab 74; none when it has none that can be read.
pub(super) fn of_report(raw: &Value) -> Vec<ProfiledTable> {
    let Some(candidates) = raw.get("candidates").and_then(Value::as_array) else { return Vec::new() };
    let table = |candidate: &Value| {
        let text = candidate.get("top_operators")?.as_str()?;
        Some(ProfiledTable {
            name: candidate.get("name").and_then(Value::as_str).unwrap_or_default().chars().take(MAX_NAME).collect(),
            step_time_ms: candidate.get("step_time_ms").and_then(Value::as_f64).filter(|ms| *ms > 0.0),
            table: read_table(text).ok()?,
        })
    };
    candidates.iter().filter_map(table).take(MAX_TABLES).collect()
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | ' '))
}

/// Cells stand two spaces apart or more, and hold single ones.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    Calls,
    SelfCpu,
    CpuTotal,
    CpuAverage,
    SelfDevice,
    DeviceTotal,
    DeviceAverage,
    SelfCpuMemory,
    CpuMemory,
    SelfDeviceMemory,
    DeviceMemory,
    Unused,
}

impl Column {
    /// By its title; a device is CUDA, XPU, MPS or what comes next, and older versions write `Mem` in full.
    fn of(title: &str) -> Self {
        let title = title.to_ascii_lowercase();
        let (own, rest) = match title.strip_prefix("self ") {
            Some(rest) => (true, rest),
            None => (false, title.as_str()),
        };
        if rest.ends_with('%') {
            return Column::Unused;
        }
        let (device, what) = rest.split_once(' ').unwrap_or((rest, ""));
        let host = device == "cpu";
        match (own, host, what) {
            (false, _, _) if title == "name" => Column::Name,
            (false, _, _) if title == "# of calls" => Column::Calls,
            (true, true, "") => Column::SelfCpu,
            (true, false, "") => Column::SelfDevice,
            (false, true, "total") => Column::CpuTotal,
            (false, false, "total") => Column::DeviceTotal,
            (false, true, "time avg") => Column::CpuAverage,
            (false, false, "time avg") => Column::DeviceAverage,
            (true, true, "mem" | "memory") => Column::SelfCpuMemory,
            (true, false, "mem" | "memory") => Column::SelfDeviceMemory,
            (false, true, "mem" | "memory") => Column::CpuMemory,
            (false, false, "mem" | "memory") => Column::DeviceMemory,
            _ => Column::Unused,
        }
    }
}

fn row(line: &str, columns: &[Column]) -> Option<OperatorRow> {
    let cells: Vec<&str> = cells(line).collect();
    // A name may hold two spaces; nothing else does.
    let extra = cells.len().checked_sub(columns.len())?;
    let name = cells[..=extra].join("  ");
    let mut row = OperatorRow { name: name.chars().take(MAX_NAME).collect(), ..OperatorRow::default() };
    for (column, cell) in columns.iter().zip(&cells[extra..]).skip(1) {
        match column {
            Column::Name | Column::Unused => {}
            Column::Calls => row.calls = Some(cell.parse().ok()?),
            Column::SelfCpu => row.self_cpu_ns = time_ns(cell),
            Column::CpuTotal => row.cpu_total_ns = time_ns(cell),
            Column::CpuAverage => row.cpu_average_ns = time_ns(cell),
            Column::SelfDevice => row.self_device_ns = time_ns(cell),
            Column::DeviceTotal => row.device_total_ns = time_ns(cell),
            Column::DeviceAverage => row.device_average_ns = time_ns(cell),
            Column::SelfCpuMemory => row.self_cpu_bytes = size(cell),
            Column::CpuMemory => row.cpu_bytes = size(cell),
            Column::SelfDeviceMemory => row.self_device_bytes = size(cell),
            Column::DeviceMemory => row.device_bytes = size(cell),
        }
    }
    Some(row)
}

/// `166.709ms`, `2.011s`, `300.326us` as nanoseconds; the table has three decimals.
fn time_ns(cell: &str) -> Option<u64> {
    let cell = cell.trim();
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (digits, unit) = units.iter().find_map(|(name, unit)| Some((cell.strip_suffix(name)?, unit)))?;
    let number: f64 = digits.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0 && number * unit < 9e18).then(|| (number * unit).round() as u64)
}

/// `-9.80 GB`, `15.12 Gb`, `-16 B`: PyTorch's units are binary whatever their letters; the table has two decimals.
fn size(cell: &str) -> Option<i64> {
    let (digits, unit) = cell.trim().rsplit_once(' ')?;
    let unit = match unit.to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "kb" => 1024.0,
        "mb" => 1024.0 * 1024.0,
        "gb" => 1024.0 * 1024.0 * 1024.0,
        "tb" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = digits.parse::<f64>().ok()? * unit;
    (bytes.abs() < 9e18).then(|| bytes.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(time_ns("166.709ms"), Some(166_709_000));
        assert_eq!(time_ns(" 2.011s"), Some(2_011_000_000));
        assert_eq!((time_ns("0.000us"), time_ns("3.5ns")), (Some(0), Some(4)));
        for cell in ["", "--", "1.5", "NaNs", "infs", "-1.0us", "1e300s"] {
            assert_eq!(time_ns(cell), None, "{cell}");
        }
        assert_eq!((size("0 B"), size("-16 b"), size("1.50 KB")), (Some(0), Some(-16), Some(1536)));
        assert_eq!(size("-9.80 GB"), Some(-10_522_669_875));
        for cell in ["", "B", "NaN GB", "1 XB", "1e300 GB"] {
            assert_eq!(size(cell), None, "{cell}");
        }
    }

    #[test]
    fn the_average_step_is_the_hosts() {
        let step = |rows: &str| {
            let head = "Name  CPU time avg  CUDA time avg  # of Calls";
            read_table(&format!("{head}\n{rows}\n")).ok().and_then(|table| table.step_ns())
        };
        let device = "ProfilerStep*  0.000us  500.281ms  4";
        assert_eq!(step(&format!("ProfilerStep*  502.864ms  1.912s  4\n{device}")), Some(502_864_000));
        assert_eq!(step(device), Some(500_281_000));
        for none in ["aten::mm  1.000ms  1.000ms  4", "ProfilerStep*  NaNms  --  4", "ProfilerStep*"] {
            assert_eq!(step(none), None, "{none}");
        }
    }

    #[test]
    fn columns_are_known_by_their_titles() {
        let cases = [
            ("Name", Column::Name),
            ("Self CPU %", Column::Unused),
            ("Self CPU", Column::SelfCpu),
            ("CPU total", Column::CpuTotal),
            ("CPU time avg", Column::CpuAverage),
            ("Self CUDA", Column::SelfDevice),
            ("CUDA total", Column::DeviceTotal),
            ("XPU time avg", Column::DeviceAverage),
            ("Self CUDA Mem", Column::SelfDeviceMemory),
            ("CPU Mem", Column::CpuMemory),
            ("# of Calls", Column::Calls),
            ("Input Shapes", Column::Unused),
            ("Total GFLOPs", Column::Unused),
        ];
        for (title, column) in cases {
            assert_eq!(Column::of(title), column, "{title}");
        }
    }
}
