//! A compiled kernel and how it is launched.

use labs::run::Share;
use wgpu::{BindGroupEntry, Buffer, CommandEncoder, ComputePipeline, Device};

/// Workgroups in one dimension of a dispatch at most, by the limits that every adapter keeps.
const MOST_GROUPS: u32 = 65_535;

pub struct Pipeline {
    pipeline: ComputePipeline,
    share: Share,
}

impl Pipeline {
    /// Compiles a text whose entry point is called `name`. Errors go to the caller's error scope.
    pub fn new(device: &Device, name: &'static str, text: &str, share: Share) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline, share }
    }

    /// Records one launch over `items`. Where they are more than one dimension holds, groups go on in the second: a
    /// kernel numbers its group as `x + y × groups in x`.
    pub fn dispatch(
        &self,
        device: &Device,
        encoder: &mut CommandEncoder,
        buffers: &[&Buffer],
        numbers: &Buffer,
        items: u32,
    ) {
        let groups = match self.share {
            Share::ItemOfInvocation { width } => items.div_ceil(width.max(1)),
            Share::ItemOfGroup => items,
        };
        if groups == 0 {
            return;
        }
        let entries: Vec<BindGroupEntry<'_>> = (0..)
            .zip(buffers.iter().copied().chain([numbers]))
            .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let across = groups.min(MOST_GROUPS);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
    }
}
