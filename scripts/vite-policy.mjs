/**
 * @file Vite plugins for the security policy: the headers in development, and the policy as a meta
 * element in the build. In development Vite would inline a script and style elements; the policy
 * forbids both, so they are brought in by other ways.
 */
import { META_POLICY, securityHeaders } from './headers.mjs';

const PREAMBLE = '/@ringside/preamble.js';

/** @returns {import('vite').Plugin[]} */
export function pagePolicy() {
  return [headersInDevelopment(), metaInBuild(), preambleAsModule(), stylesAsSheets()];
}

/** @returns {import('vite').Plugin} */
function headersInDevelopment() {
  return {
    name: 'ringside-headers',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const destination = request.headers['sec-fetch-dest'];
        const document = destination === 'document' || destination === 'iframe';
        const headers = securityHeaders({ isolated: true, document });
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        next();
      });
    },
  };
}

/** @returns {import('vite').Plugin} */
function metaInBuild() {
  return {
    name: 'ringside-meta',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: META_POLICY },
        injectTo: 'head-prepend',
      },
    ],
  };
}

/** Serves the inline script of React's fast refresh as a module. @returns {import('vite').Plugin} */
function preambleAsModule() {
  let preamble = '';
  return {
    name: 'ringside-preamble',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use(PREAMBLE, (_request, response) => {
        response.setHeader('Content-Type', 'text/javascript').end(preamble);
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace(/<script type="module">([\s\S]*?)<\/script>/, (_, script) => {
          preamble = script;
          return `<script type="module" src="${PREAMBLE}"></script>`;
        }),
    },
  };
}

/** Adopts style sheets instead of adding style elements. @returns {import('vite').Plugin} */
function stylesAsSheets() {
  const update = '__vite__updateStyle(__vite__id, __vite__css)';
  const remove = '__vite__removeStyle(__vite__id)';
  const sheets = '(globalThis.ringsideSheets ??= new Map())';
  const adopt = `{
  const sheets = ${sheets};
  if (!sheets.has(__vite__id)) {
    sheets.set(__vite__id, new CSSStyleSheet());
    document.adoptedStyleSheets = [...sheets.values()];
  }
  sheets.get(__vite__id).replaceSync(__vite__css);
}`;
  const drop = `{ ${sheets}.delete(__vite__id); document.adoptedStyleSheets = [...${sheets}.values()]; }`;
  return {
    name: 'ringside-styles',
    apply: 'serve',
    enforce: 'post',
    transform: (code) =>
      code.includes(update)
        ? { code: code.replace(update, adopt).replace(remove, drop), map: null }
        : null,
  };
}
