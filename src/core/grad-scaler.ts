/**
 * @file Loss scaling: keeps small fp16 gradients from turning zero. Dynamic scaling follows
 * torch.cuda.amp.GradScaler and its kernel; hysteresis and a least scale are DeepSpeed's and Megatron's.
 */

export type ScalerConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly scale: number }
  | {
      readonly kind: 'dynamic';
      /** PyTorch: 65536. */
      readonly initialScale: number;
      /** PyTorch: 2. */
      readonly growthFactor: number;
      /** PyTorch: 0.5. */
      readonly backoffFactor: number;
      /** Steps without overflow after which the scale grows. PyTorch: 2000. */
      readonly growthInterval: number;
      /** Overflows until the scale shrinks. PyTorch: 1, DeepSpeed: 2. */
      readonly hysteresis: number;
      /** PyTorch: 0 (none), DeepSpeed and Megatron: 1. */
      readonly minScale: number;
    };

export const PYTORCH_SCALER = {
  kind: 'dynamic',
  initialScale: 65536,
  growthFactor: 2,
  backoffFactor: 0.5,
  growthInterval: 2000,
  hysteresis: 1,
  minScale: 0,
} as const satisfies ScalerConfig;

/** The same on all ranks, for they see the same reduced gradient. */
export interface ScalerState {
  /** float32. The loss is multiplied by it before backward. */
  readonly scale: number;
  /** Steps without overflow since the scale last changed. */
  readonly goodSteps: number;
  /** Overflows that are still forgiven before the scale shrinks. */
  readonly forgiven: number;
}

/** The state before the first step. */
export function initialScaler(config: ScalerConfig): ScalerState {
  switch (config.kind) {
    case 'none':
      return { scale: 1, goodSteps: 0, forgiven: 0 };
    case 'fixed':
      return { scale: Math.fround(config.scale), goodSteps: 0, forgiven: 0 };
    case 'dynamic': {
      const scale = Math.fround(config.initialScale);
      return { scale, goodSteps: 0, forgiven: config.hysteresis - 1 };
    }
  }
}

/**
 * Divides `gradient`, in place, by the scale: multiplies by its reciprocal, computed in float64 and
 * rounded to float32. Returns whether every element was finite before; if not, skip the step.
 */
export function unscale(gradient: Float32Array, { scale }: ScalerState): boolean {
  const inverse = Math.fround(1 / scale);
  let finite = true;
  for (let i = 0; i < gradient.length; i++) {
    const value = gradient[i];
    if (!Number.isFinite(value)) finite = false;
    gradient[i] = value * inverse;
  }
  return finite;
}

/** The state after a step, whose gradient was finite or not. Growth to infinity is not done. */
export function updateScaler(
  config: ScalerConfig,
  state: ScalerState,
  finite: boolean,
): ScalerState {
  if (config.kind !== 'dynamic') return state;
  const { growthFactor, backoffFactor, growthInterval, hysteresis, minScale } = config;
  if (!finite) {
    if (state.forgiven > 0) return { ...state, goodSteps: 0, forgiven: state.forgiven - 1 };
    const scale = Math.max(minScale, Math.fround(state.scale * backoffFactor));
    return { ...state, scale, goodSteps: 0 };
  }
  const goodSteps = state.goodSteps + 1;
  if (goodSteps < growthInterval) return { ...state, goodSteps };
  const grown = Math.fround(state.scale * growthFactor);
  const scale = Number.isFinite(grown) ? grown : state.scale;
  return { scale, goodSteps: 0, forgiven: hysteresis - 1 };
}
