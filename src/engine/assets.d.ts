/** What the bundler makes of an import of a file's address. */
declare module '*?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler exports it.
  export default url;
}
