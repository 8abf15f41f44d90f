import type { Upload } from "./upload.js";

/** A placeholder for an upload that does not exist: no signature matches it, and verification takes the same time. */
export function absentUpload(id: string): Upload {
  const record = { id, version: 0, tenant: undefined, owner: "", account: "", isOpen: false, bytes: 0, dueAt: undefined, data: null };
  return { record, data: { kind: "plain", status: "gone", createdMs: 0, visibility: "private", filename: "" } };
}
