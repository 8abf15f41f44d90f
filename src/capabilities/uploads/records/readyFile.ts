import type { ReadyFile } from "../options.js";
import { parseMetadata } from "../resumable/metadata.js";
import type { Upload } from "./upload.js";

/** The argument of `onReady` for an upload; `undefined` if the upload is not `ready`. */
export function readyFile({ record, data }: Upload): ReadyFile | undefined {
  const { file, filename, field, form, visibility, metadata } = data;
  if (data.status !== "ready" || file === undefined) return undefined;
  const { id, tenant, owner } = record;
  return { ...file, id, tenant, owner, filename, field, form, visibility, metadata: Object.fromEntries(parseMetadata(metadata)) };
}
