/** @file The security headers of every response, in one place: server, dev server and build use them. */

/** Directives that a meta element may carry too. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "img-src 'self' blob: data:",
  "base-uri 'none'",
];

/** The policy for a meta element: `frame-ancestors` is ignored there and would log a warning. */
export const META_POLICY = PAGE_POLICY.join('; ');

/** The policy as a header. Any site may embed the lab. */
export const HEADER_POLICY = [...PAGE_POLICY, 'frame-ancestors *'].join('; ');

/**
 * Headers of one response. `isolated` asks for cross-origin isolation (shared memory); without it
 * the page is as it would be on a plain host. Only documents carry COOP.
 *
 * @param {{ isolated: boolean, document: boolean }} options
 * @returns {Record<string, string>}
 */
export function securityHeaders({ isolated, document }) {
  return {
    'Content-Security-Policy': HEADER_POLICY,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    ...(isolated ? { 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
    ...(isolated && document ? { 'Cross-Origin-Opener-Policy': 'same-origin' } : {}),
  };
}
