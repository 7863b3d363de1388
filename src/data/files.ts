/**
 * @file The packed files of `public/data`, fetched and checked. Layout of a file, little endian:
 * magic (4 letters), format (u32), count (u32), bytes a sample (u32); then for RSIM `count` labels
 * and `count` images of one byte a pixel, for RSTX `count` token ids.
 */
import { hashBytes } from '#core/hash';
import { DataError } from './data-error.ts';

/** The format that `scripts/prepare-data.mjs` writes and this file reads. */
const FORMAT = 1;
const HEADER_BYTES = 16;
const MANIFEST = 'manifest.json';

export interface PackedFile {
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
  /** `hashBytes` of the whole file. */
  readonly checksum: string;
}

export interface PackedData {
  readonly train: readonly PackedFile[];
  readonly test: readonly PackedFile[];
  /** Text only: the character of each token id. */
  readonly alphabet: string;
}

/** The part of `fetch` that is used; relative to nothing, so `dataUrl` must be absolute. */
export type FetchBytes = (
  url: string,
  init: { readonly signal: AbortSignal },
) => Promise<{
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

export interface FileSource {
  /** Absolute address of the folder with the manifest, with or without a slash at its end. */
  readonly dataUrl: string;
  readonly fetch: FetchBytes;
  readonly signal: AbortSignal;
}

async function fetchBytes(
  name: string,
  { dataUrl, fetch, signal }: FileSource,
): Promise<Uint8Array> {
  const url = `${dataUrl.replace(/\/$/, '')}/${name}`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new DataError(name, `missing (status ${response.status} from ${url})`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof DataError) throw error;
    signal.throwIfAborted();
    throw new DataError(name, `could not be fetched from ${url} (${String(error)})`);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

function isPackedFile(value: unknown): value is PackedFile {
  if (!isRecord(value)) return false;
  const { name, bytes, count, checksum } = value;
  // A plain file name: a manifest must not send the loader to another folder or site.
  const plain = typeof name === 'string' && /^[\w-]+\.bin$/.test(name);
  return plain && isCount(bytes) && isCount(count) && typeof checksum === 'string';
}

const isFileList = (value: unknown): value is readonly PackedFile[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPackedFile);

/** Fetches the manifest and returns its entry for data set `name`. Throws DataError. */
export async function fetchManifest(name: string, source: FileSource): Promise<PackedData> {
  const bytes = await fetchBytes(MANIFEST, source);
  let manifest: unknown;
  try {
    manifest = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new DataError(MANIFEST, 'not JSON');
  }
  if (!isRecord(manifest) || manifest.format !== FORMAT) {
    const found = isRecord(manifest) ? JSON.stringify(manifest.format) : 'none';
    throw new DataError(MANIFEST, `format ${found} found, ${FORMAT} is read`);
  }
  const entry = isRecord(manifest.data) ? manifest.data[name] : undefined;
  if (!isRecord(entry) || !isFileList(entry.train) || !isFileList(entry.test)) {
    throw new DataError(MANIFEST, `its list of files for "${name}" is missing or damaged`);
  }
  const alphabet = typeof entry.alphabet === 'string' ? entry.alphabet : '';
  return { train: entry.train, test: entry.test, alphabet };
}

/**
 * Fetches a packed file and returns what follows its header. Throws DataError where its size,
 * checksum, magic, format, count or bytes a sample are not those expected.
 */
export async function fetchPacked(
  file: PackedFile,
  magic: 'RSIM' | 'RSTX',
  bytesPerSample: number,
  source: FileSource,
): Promise<Uint8Array> {
  const content = await fetchBytes(file.name, source);
  if (content.length !== file.bytes) {
    throw new DataError(file.name, `${content.length} bytes found, ${file.bytes} expected`);
  }
  const found = content.length < HEADER_BYTES ? '' : String.fromCharCode(...content.subarray(0, 4));
  if (found !== magic) throw new DataError(file.name, `it does not begin with ${magic}`);
  const checksum = hashBytes(content);
  if (checksum !== file.checksum) {
    throw new DataError(file.name, `checksum ${checksum} found, ${file.checksum} expected`);
  }
  checkHeader(file, magic, bytesPerSample, content);
  return content.subarray(HEADER_BYTES);
}

function checkHeader(
  file: PackedFile,
  magic: 'RSIM' | 'RSTX',
  bytesPerSample: number,
  content: Uint8Array,
): void {
  const view = new DataView(content.buffer, content.byteOffset);
  const header = [4, 8, 12].map((at) => view.getUint32(at, true));
  const expected = [FORMAT, file.count, bytesPerSample];
  const payload = file.count * (magic === 'RSIM' ? 1 + bytesPerSample : bytesPerSample);
  const sized = content.length === HEADER_BYTES + payload;
  if (!sized || header.some((value, i) => value !== expected[i])) {
    throw new DataError(
      file.name,
      `header ${header.join(', ')} found, ${expected.join(', ')} expected`,
    );
  }
}
