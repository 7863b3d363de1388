/** @file Opens WebGL 2 on a canvas of our own, so that the loss of its context can be seen. */
import type { GPGPUProgram } from '@tensorflow/tfjs-backend-webgl';
import type { FloatFormat } from '#core/float-formats';
import type { OpenedBackend } from './backends.ts';
import { BackendUnavailableError } from './engine.ts';
import { registerRounding, roundingSource, type ShaderDialect } from './round-kernels.ts';

/** A fresh WebGL 2 context, or BackendUnavailableError with the reason. */
export function openContext(canvas: OffscreenCanvas): WebGL2RenderingContext {
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false });
  if (gl === null)
    throw new BackendUnavailableError('webgl: this browser gives no WebGL 2 context');
  if (gl.getExtension('EXT_color_buffer_float') === null) {
    throw new BackendUnavailableError('webgl: this GPU cannot render to float textures');
  }
  return gl;
}

export function newCanvas(): OffscreenCanvas {
  if (typeof OffscreenCanvas === 'undefined') {
    throw new BackendUnavailableError('webgl: this browser has no OffscreenCanvas for workers');
  }
  return new OffscreenCanvas(1, 1);
}

export function rendererName(gl: WebGL2RenderingContext): string {
  const unmasked = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = gl.getParameter(unmasked?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  return typeof name === 'string' && name !== '' ? name : 'unnamed GPU';
}

/** Whether the renderer computes on the CPU. */
export function isSoftwareRenderer(name: string): boolean {
  return /swiftshader|llvmpipe|software/i.test(name);
}

const GLSL: ShaderDialect = {
  uint: 'uint',
  int: 'int',
  declare: (type, name, value) => `${type} ${name} = ${value};`,
};

function roundingProgram(shape: number[], format: FloatFormat): GPGPUProgram {
  return {
    variableNames: ['A'],
    outputShape: shape,
    userCode: `
      void main() {
        uint w = floatBitsToUint(getAAtOutCoords());
        ${roundingSource(format, GLSL)}
        setOutput(uintBitsToFloat(r));
      }`,
  };
}

export async function openWebgl(): Promise<OpenedBackend> {
  const canvas = newCanvas();
  const gl = openContext(canvas);
  const { MathBackendWebGL, GPGPUContext } = await import('@tensorflow/tfjs-backend-webgl');
  registerRounding<InstanceType<typeof MathBackendWebGL>>('webgl', (backend, x, format) => {
    return backend.runWebGLProgram(roundingProgram(x.shape, format), [x], 'float32');
  });
  const lost = new Promise<string>((resolve) => {
    canvas.addEventListener('webglcontextlost', () => resolve('the WebGL context was lost'));
  });
  return {
    instance: new MathBackendWebGL(new GPGPUContext(gl)),
    name: rendererName(gl),
    lost,
    lose: () => gl.getExtension('WEBGL_lose_context')?.loseContext(),
  };
}
