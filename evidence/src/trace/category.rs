//! What an event is about.

use serde::Serialize;

/// The kinds of events that torch.profiler writes, by the field `cat` of any of its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Kernel,
    Memcpy,
    Memset,
    CpuOp,
    /// Calls of the CUDA runtime or driver.
    Runtime,
    /// `record_function`, optimizer and step marks.
    Annotation,
    /// The same marks as they were seen on the device: they repeat time that kernels already have.
    GpuAnnotation,
    PythonFunction,
    /// What the profiler itself cost, as it says.
    Overhead,
    Other,
}

impl Category {
    pub const ALL: [Category; 10] = [
        Category::Kernel,
        Category::Memcpy,
        Category::Memset,
        Category::CpuOp,
        Category::Runtime,
        Category::Annotation,
        Category::GpuAnnotation,
        Category::PythonFunction,
        Category::Overhead,
        Category::Other,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Category::Kernel => "kernel",
            Category::Memcpy => "memcpy",
            Category::Memset => "memset",
            Category::CpuOp => "cpu_op",
            Category::Runtime => "runtime",
            Category::Annotation => "annotation",
            Category::GpuAnnotation => "gpu_annotation",
            Category::PythonFunction => "python_function",
            Category::Overhead => "overhead",
            Category::Other => "other",
        }
    }

    pub(super) fn of(cat: &str) -> Self {
        match cat.to_ascii_lowercase().as_str() {
            "kernel" | "concurrent_kernel" => Category::Kernel,
            "gpu_memcpy" | "memcpy" => Category::Memcpy,
            "gpu_memset" | "memset" => Category::Memset,
            "cpu_op" | "operator" => Category::CpuOp,
            "cuda_runtime"
            | "cuda_driver"
            | "runtime"
            | "driver"
            | "hip_runtime"
            | "privateuse1_runtime"
            | "xpu_runtime" => Category::Runtime,
            "user_annotation" => Category::Annotation,
            "gpu_user_annotation" => Category::GpuAnnotation,
            "python_function" => Category::PythonFunction,
            "overhead" => Category::Overhead,
            _ => Category::Other,
        }
    }

    /// Work of a device: its time is counted once by a union for each device.
    pub const fn is_device(self) -> bool {
        matches!(self, Category::Kernel | Category::Memcpy | Category::Memset)
    }

    /// Calls that nest on a thread: their time is counted once as self time.
    pub const fn is_host(self) -> bool {
        matches!(self, Category::CpuOp | Category::Runtime | Category::Annotation | Category::Overhead)
    }
}
