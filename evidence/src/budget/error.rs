//! Why there is no grid.

use thiserror::Error;

use super::Axis;
use crate::{Lang, Shape};

/// Why a grid cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BudgetError {
    #[error("{}: {found:?} is no level: expected {}", axis.input(), expected(*axis).1)]
    Level { axis: Axis, found: String },
    #[error("{}: at most {limit} levels", axis.input())]
    TooMany { axis: Axis, limit: usize },
    #[error(
        "a report of shape {} compares no strategies: expected a 76, a 75 or a vramlab-report/v1 with candidates",
        shape.id()
    )]
    NotStrategies { shape: Shape },
    #[error("nothing limits memory or throughput: give caps or rates at least one level")]
    NothingLimits,
}

const fn expected(axis: Axis) -> (&'static str, &'static str) {
    match axis {
        Axis::Memory => (
            "MiB（大于 0，至多 2000000）、基线的倍数如 0.9x、或百分比如 -5%",
            "MiB above 0 and up to 2000000, times the baseline as 0.9x, or a percentage as -5%",
        ),
        Axis::Throughput => (
            "每秒样本数、基线的倍数如 0.7x、或百分比如 -30%",
            "samples per second, times the baseline as 0.7x, or a percentage as -30%",
        ),
        Axis::Loss => {
            ("loss、基线的倍数如 1.02x、或百分比如 +2%", "a loss, times the baseline as 1.02x, or a percentage as +2%")
        }
    }
}

impl BudgetError {
    /// The input at fault, where there is one.
    pub fn input(&self) -> Option<&'static str> {
        match self {
            BudgetError::Level { axis, .. } | BudgetError::TooMany { axis, .. } => Some(axis.input()),
            BudgetError::NothingLimits => Some(Axis::Memory.input()),
            BudgetError::NotStrategies { .. } => None,
        }
    }

    pub fn message(&self, lang: Lang) -> String {
        match (lang, self) {
            (Lang::En, error) => error.to_string(),
            (Lang::Zh, BudgetError::Level { axis, found }) => {
                format!("{}：{found:?} 不是档位；应为{}", axis.input(), expected(*axis).0)
            }
            (Lang::Zh, BudgetError::TooMany { axis, limit }) => format!("{}：最多 {limit} 档", axis.input()),
            (Lang::Zh, BudgetError::NotStrategies { shape }) => {
                format!("形状为 {} 的报告没有可比较的策略；应为 76、75 或带候选的 vramlab-report/v1", shape.id())
            }
            (Lang::Zh, BudgetError::NothingLimits) => "显存和吞吐都没有限制；caps 或 rates 至少要有一档".to_owned(),
        }
    }
}
