/** @file Experiments to start from. Names and descriptions stand in the string tables. */
import type { Experiment } from './experiment.ts';
import { requireExperiment } from './parse.ts';

export const PRESET_IDS = [
  'mnist-mlp',
  'mnist-cnn',
  'spirals',
  'moons',
  'circles',
  'xor',
  'moby-dick',
  'mnist-webgpu',
  'mnist-topk',
  'topk-forgetful',
  'mnist-bf16',
  'fp16-unscaled',
] as const;
export type PresetId = (typeof PRESET_IDS)[number];

/** As a learner would write them: what is left out takes its default. */
const INPUTS: Readonly<Record<PresetId, unknown>> = {
  'mnist-mlp': {},
  'mnist-cnn': { model: { kind: 'cnn' }, duration: { count: 6 } },
  spirals: { data: { name: 'spirals' } },
  moons: { data: { name: 'moons' } },
  circles: { data: { name: 'circles' } },
  xor: { data: { name: 'xor' } },
  'moby-dick': { data: { name: 'moby-dick' } },
  'mnist-webgpu': { backend: 'webgpu' },
  'mnist-topk': { compression: { kind: 'topK', ratio: 0.01 } },
  'topk-forgetful': { compression: { kind: 'topK', ratio: 0.001, errorFeedback: false } },
  'mnist-bf16': { precision: { format: 'bf16' } },
  // Twenty layers shrink the gradient on its way down: without a scale two thirds and more of it
  // are below what fp16 can hold, before and after a batch's mean.
  'fp16-unscaled': {
    data: { name: 'circles', samples: 1024, noise: 0.05 },
    model: { kind: 'mlp', hidden: Array.from({ length: 20 }, () => 16), activation: 'relu' },
    batchPerRank: 32,
    duration: { unit: 'steps', count: 200 },
    optimizer: { kind: 'adam', epsilon: 1e-12 },
    learningRate: { base: 0.003 },
    precision: { format: 'fp16' },
    lossScaling: { kind: 'none' },
  },
};

/** The experiment of a preset, complete. */
export function presetExperiment(id: PresetId): Experiment {
  return requireExperiment(INPUTS[id]);
}
