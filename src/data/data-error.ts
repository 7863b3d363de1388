/** @file What is thrown when a packed data file cannot be used. */

/** A data file is missing, short or damaged; the message says what was found and what to do. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly file: string;

  constructor(file: string, found: string) {
    super(`${file}: ${found}. Run "npm start" again to rebuild it, then reload the page.`);
    this.file = file;
  }
}
