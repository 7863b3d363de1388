/** @file Where the bundler puts the wasm backend's binary: SIMD, one thread. */
import wasmUrl from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';

/** Absolute, since relative addresses mean different things in a page and in its workers. */
export const WASM_URL = new URL(wasmUrl, import.meta.url).href;
