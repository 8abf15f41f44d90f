import type { ReadyFile } from "../options.js";
import { parseMetadata } from "../resumable/metadata.js";
import type { Upload } from "./upload.js";

/** What is told of a file that is ready; `undefined` of any other. */
export function readyFile({ record, data }: Upload): ReadyFile | undefined {
  const { file, filename, field, form, visibility, metadata } = data;
  if (data.status !== "ready" || file === undefined) return undefined;
  const { id, tenant, owner } = record;
  return { ...file, id, tenant, owner, filename, field, form, visibility, metadata: Object.fromEntries(parseMetadata(metadata)) };
}
