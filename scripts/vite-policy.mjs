/** @file Vite plugin: the security headers in development, and the policy as a meta element in the build. */
import { META_POLICY, securityHeaders } from './headers.mjs';

/** @returns {import('vite').Plugin} */
export function pagePolicy() {
  return {
    name: 'ringside-page-policy',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const document = request.headers['sec-fetch-dest'] !== 'script';
        const headers = securityHeaders({ isolated: true, document });
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        next();
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, context) {
        if (context.server) return [];
        const attributes = { 'http-equiv': 'Content-Security-Policy', content: META_POLICY };
        return [{ tag: 'meta', attrs: attributes, injectTo: 'head-prepend' }];
      },
    },
  };
}
