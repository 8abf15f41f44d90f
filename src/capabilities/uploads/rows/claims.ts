import type { Writer } from "../../../engine/operation/write/writableRows.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import type { UploadStore } from "../../../ground/storage/files/uploads.js";
import { changedMeanwhile } from "../records/create.js";
import { loadUpload } from "../records/find.js";
import { type FileClaim, isPartial, type Upload, uploadOf } from "../records/upload.js";
import { takes } from "./file.js";
import type { FileField } from "./fileFields.js";

/** Reading and writing a record are two steps, between which another request can change it. */
const attempts = 5;

/** What claims a file. */
export interface Claimant {
  /** The text of the row's id; `undefined` if the store numbers the row. */
  readonly row: string | undefined;
  /** Of the write: what an earlier attempt of it has claimed is its own. */
  readonly operationId?: string | undefined;
}

/** The claims of files by the rows of one collection, in the transaction of a write. */
export class Claims {
  readonly #store: UploadStore;
  readonly #collection: string;
  readonly #writer: Pick<Writer, "principal" | "isSystem">;

  constructor(store: UploadStore, collection: string, writer: Pick<Writer, "principal" | "isSystem">) {
    this.#store = store;
    this.#collection = collection;
    this.#writer = writer;
  }

  /**
   * Claims a file for a field of a row.
   *
   * @returns the claimed file, or why it cannot be had
   */
  async claim({ name, type }: FileField, id: string, { row, operationId }: Claimant): Promise<Upload | ProblemItem> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const upload = await loadUpload({ store: this.#store }, id);
      const { file, claim } = upload?.data ?? {};
      if (upload === undefined || file === undefined || !this.#mayUse(upload)) return refusal(name, `You have no ready file "${id.slice(0, 64)}".`);
      if (type.types !== "any" && !takes(type.types, file.contentType)) {
        const detail = `The file "${id}" is "${file.contentType}"; allowed: ${type.types.join(", ")}.`;
        return { code: "TYPE_NOT_ALLOWED", detail, pointer: pointer([name]), allowed: type.types };
      }
      if (claim !== undefined) {
        const isOwn = operationId !== undefined && claim.operationId === operationId && this.#isHere(upload, name);
        return isOwn ? upload : refusal(name, `The file "${id}" belongs to another row or field.`);
      }
      const claimed = await this.#replace(upload, { collection: this.#collection, field: name, row, operationId });
      if (claimed !== undefined) return claimed;
    }
    throw changedMeanwhile();
  }

  /** Notes in the claim of a file which row it is for, once the row has its id. */
  async name(claimed: Upload, row: string): Promise<void> {
    let upload: Upload | undefined = claimed;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const claim: FileClaim | undefined = upload?.data.claim;
      if (upload === undefined || claim === undefined || claim.row === row || (await this.#replace(upload, { ...claim, row })) !== undefined) return;
      upload = await loadUpload({ store: this.#store }, claimed.record.id);
    }
    throw changedMeanwhile();
  }

  /** Makes a file free that a field of a row held. */
  async release(field: string, id: string): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const upload = await loadUpload({ store: this.#store }, id);
      if (upload === undefined || !this.#isHere(upload, field) || (await this.#replace(upload, undefined)) !== undefined) return;
    }
    throw changedMeanwhile();
  }

  /** The upload with this claim; `undefined` if it has changed meanwhile. */
  async #replace({ record, data }: Upload, claim: FileClaim | undefined): Promise<Upload | undefined> {
    const outcome = await this.#store.update(record.id, record.version, { data: { ...data, claim } });
    return outcome.outcome === "stored" ? uploadOf(outcome.record) : undefined;
  }

  /** Whether it is a finished file of the principal; for writes without a principal, of its tenant. */
  #mayUse(upload: Upload): boolean {
    const { principal, isSystem } = this.#writer;
    const { record, data } = upload;
    return (
      data.status === "ready" && !isPartial(upload) && record.tenant === principal.tenant && (isSystem === true || record.owner === principal.id)
    );
  }

  #isHere({ data: { claim } }: Upload, field: string): boolean {
    return claim?.collection === this.#collection && claim.field === field;
  }
}

function refusal(field: string, detail: string): ProblemItem {
  return { code: "FILE_NOT_AVAILABLE", detail, pointer: pointer([field]) };
}
