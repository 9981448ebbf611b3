//! Finding an adapter, and saying honestly what it is.

use evidence::{Backend, DeviceFacts, DeviceKind};
use labs::run::DeviceError;
use wgpu::{Adapter, AdapterInfo, DeviceType, Instance, InstanceDescriptor};

use super::BACKEND;

fn instance() -> Instance {
    Instance::new(InstanceDescriptor::new_without_display_handle())
}

/// Every adapter of this machine, real ones first: the order in which [`open`] tries them.
pub fn adapters() -> Vec<Adapter> {
    let mut all = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::VULKAN));
    all.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    all
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// The best adapter of this machine, which may be one that computes on the processor.
pub fn best() -> Result<Adapter, DeviceError> {
    adapters().into_iter().next().ok_or_else(|| DeviceError::Backend {
        backend: BACKEND,
        message: "no Vulkan adapter: install a driver, or Mesa's lavapipe, which computes on the processor".to_owned(),
    })
}

/// What the driver says. Software adapters call themselves processors, and [`DeviceFacts::evidence_class`] knows the
/// names of those that do not.
pub fn facts(info: &AdapterInfo) -> DeviceFacts {
    DeviceFacts {
        backend: Backend::Wgpu,
        name: info.name.clone(),
        kind: match info.device_type {
            DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu,
            DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu,
            DeviceType::VirtualGpu => DeviceKind::VirtualGpu,
            DeviceType::Cpu => DeviceKind::Cpu,
            DeviceType::Other => DeviceKind::Other,
        },
        uuid: None,
        driver: Some([info.driver.as_str(), info.driver_info.as_str()].join(" ").trim().to_owned())
            .filter(|driver| !driver.is_empty()),
        memory_bytes: None,
        compute_capability: None,
        runtime: Some(format!("gpu_runner {} wgpu 30, {:?}", env!("CARGO_PKG_VERSION"), info.backend)),
    }
}
