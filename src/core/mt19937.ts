/**
 * @file The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), which PyTorch's CPU
 * generator uses. Only for orders that must equal PyTorch's; all else draws from `random.ts`.
 */

const SIZE = 624;
const SHIFT = 397;
const MATRIX = 0x9908b0df;

export interface Mt19937 {
  /** Uniform integer in [0, 2^32). */
  u32(): number;
}

function seededState(seed: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const previous = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(1812433253, previous) + i;
  }
  return state;
}

function regenerate(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const joined = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
    state[i] = state[(i + SHIFT) % SIZE] ^ (joined >>> 1) ^ (joined & 1 ? MATRIX : 0);
  }
}

/** A generator seeded with the low 32 bits of `seed`, as `torch.Generator.manual_seed` does. */
export function mt19937(seed: number): Mt19937 {
  const state = seededState(seed);
  let next = SIZE;
  const u32 = (): number => {
    if (next === SIZE) {
      regenerate(state);
      next = 0;
    }
    let y = state[next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
  return { u32 };
}
