import type { Upload } from "./upload.js";

/** What a signature of an upload that is not there is verified against: it fits none, and takes as long to say so. */
export function nobodysUpload(id: string): Upload {
  const record = { id, version: 0, tenant: undefined, owner: "", account: "", isOpen: false, bytes: 0, dueAt: undefined, data: null };
  return { record, data: { kind: "plain", status: "gone", createdMs: 0, visibility: "private", filename: "" } };
}
