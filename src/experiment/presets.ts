/** @file Experiments to start from. Names and descriptions stand in the string tables. */
import type { Experiment } from './experiment.ts';
import { parseExperiment } from './parse.ts';

export const PRESET_IDS = [
  'mnist-mlp',
  'mnist-cnn',
  'spirals',
  'moons',
  'circles',
  'xor',
  'moby-dick',
  'mnist-webgpu',
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
};

/** The experiment of a preset, complete. */
export function presetExperiment(id: PresetId): Experiment {
  const result = parseExperiment(INPUTS[id]);
  if (!result.ok) throw new Error(`Preset ${id} is no valid experiment: ${JSON.stringify(result)}`);
  return result.experiment;
}
