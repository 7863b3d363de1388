/** @file Experiments to start from. Names and descriptions stand in the string tables. */

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
