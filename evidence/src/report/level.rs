//! How far a report's evidence reaches: a closed list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EvidenceClass;

/// The level a report claims, from a calculation to several GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceLevel {
    Theoretical,
    CpuSimulation,
    CpuBenchmark,
    Preflight,
    GpuSmoke,
    GpuBenchmark,
    ServingBackend,
    ProfilerTrace,
    MultiGpu,
}

impl EvidenceLevel {
    pub const ALL: [EvidenceLevel; 9] = [
        EvidenceLevel::Theoretical,
        EvidenceLevel::CpuSimulation,
        EvidenceLevel::CpuBenchmark,
        EvidenceLevel::Preflight,
        EvidenceLevel::GpuSmoke,
        EvidenceLevel::GpuBenchmark,
        EvidenceLevel::ServingBackend,
        EvidenceLevel::ProfilerTrace,
        EvidenceLevel::MultiGpu,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            EvidenceLevel::Theoretical => "theoretical",
            EvidenceLevel::CpuSimulation => "cpu_simulation",
            EvidenceLevel::CpuBenchmark => "cpu_benchmark",
            EvidenceLevel::Preflight => "preflight",
            EvidenceLevel::GpuSmoke => "gpu_smoke",
            EvidenceLevel::GpuBenchmark => "gpu_benchmark",
            EvidenceLevel::ServingBackend => "serving_backend",
            EvidenceLevel::ProfilerTrace => "profiler_trace",
            EvidenceLevel::MultiGpu => "multi_gpu",
        }
    }

    /// Our level for a word of our list or of the public course's free vocabulary; `None` for any other word.
    pub fn from_word(word: &str) -> Option<Self> {
        let own = Self::ALL.into_iter().find(|level| level.id() == word);
        own.or(match word {
            "cpu_theoretical_estimate" | "cpu_theoretical_ledger" => Some(EvidenceLevel::Theoretical),
            "environment_preflight" => Some(EvidenceLevel::Preflight),
            "fixed_workload_performance_smoke"
            | "fixed_workload_capacity_probe"
            | "fixed_workload_strategy_smoke"
            | "bf16_capacity_strategy_smoke" => Some(EvidenceLevel::GpuSmoke),
            "fixed_workload_strategy_benchmark"
            | "real_benchmark"
            | "matched_torchao_weight_only_layer_microbenchmark"
            | "matched_llmcompressor_gptq_awq_artifact_experiment" => Some(EvidenceLevel::GpuBenchmark),
            "matched_backend_measurement_pending_quality" | "load_sensitivity_not_scheduler_strategy_comparison" => {
                Some(EvidenceLevel::ServingBackend)
            }
            "real_backend_smoke" | "gpu_baseline_smoke" => Some(EvidenceLevel::GpuSmoke),
            "real_multi_gpu_zero_stage"
            | "real_multi_gpu_pipeline"
            | "real_multi_gpu_smoke"
            | "aggregated_mechanism_evidence" => Some(EvidenceLevel::MultiGpu),
            "failed_real_gpu_attempt" | "real_backend_failed" => Some(EvidenceLevel::Preflight),
            "no_hardware_counter_evidence" => Some(EvidenceLevel::ProfilerTrace),
            _ => None,
        })
    }

    /// The highest level at or below this one that evidence of a class can reach: a GPU claim of a CPU is a simulation,
    /// one of no device a preflight.
    pub const fn capped(self, class: EvidenceClass) -> Self {
        match class {
            EvidenceClass::Gpu => self,
            _ if !self.needs_gpu() => self,
            EvidenceClass::Cpu => EvidenceLevel::CpuSimulation,
            EvidenceClass::Theory | EvidenceClass::Unproven => EvidenceLevel::Preflight,
        }
    }

    /// Whether the level can only be reached with a GPU.
    pub const fn needs_gpu(self) -> bool {
        matches!(
            self,
            EvidenceLevel::GpuSmoke
                | EvidenceLevel::GpuBenchmark
                | EvidenceLevel::ServingBackend
                | EvidenceLevel::ProfilerTrace
                | EvidenceLevel::MultiGpu
        )
    }
}
