import type { Context } from "../../../engine/operation/context.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { UploadRecord, UploadStore } from "../../../ground/storage/files/uploads.js";
import { uploadDocument } from "../records/document.js";
import { uploadOf } from "../records/upload.js";
import type { FilePlace, OfferedFiles } from "./fileRelation.js";

/** How many records one call reads. */
const perCall = 1_000;

/**
 * Shows the files of rows. Everyone who may read the field of a row may read its file, so a private one has a signed URL; an id that the row has not claimed, such as one that
 * another program wrote into its table, shows nothing.
 */
export function shownFiles(store: UploadStore): OfferedFiles {
  return {
    async rowsAt(place, ids, context) {
      const rows: Row[] = [];
      for (let start = 0; start < ids.length; start += perCall) {
        for (const record of await recordsOf(store, ids.slice(start, start + perCall))) {
          const row = rowOf(record, place, context);
          if (row !== undefined) rows.push(row);
        }
      }
      return rows;
    },
  };
}

async function recordsOf(store: UploadStore, ids: readonly string[]): Promise<readonly UploadRecord[]> {
  if (store.getMany !== undefined) return store.getMany(ids);
  const records = await Promise.all(ids.map((id) => store.get(id)));
  return records.flatMap((record) => record ?? []);
}

function rowOf(record: UploadRecord, { collection, field }: FilePlace, context: Context): Row | undefined {
  const upload = uploadOf(record);
  const { claim, createdMs, status } = upload.data;
  if (status !== "ready" || claim?.collection !== collection || claim.field !== field) return undefined;
  return { ...uploadDocument(upload, context, true), createdAt: new Date(createdMs), _version: String(record.version) };
}
