import type { Environment } from "../../../engine/operation/environment.js";
import type { HookedWrite, RowHooks } from "../../../engine/operation/write/rowHooks.js";
import type { WriteStage } from "../../../engine/operation/write/stage.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { UploadStore } from "../../../ground/storage/files/uploads.js";
import type { Isolation } from "../../../ground/storage/isolation.js";
import { ClaimStage } from "./claimStage.js";
import { Claims } from "./claims.js";
import type { FileField } from "./fileFields.js";

/** The claims of files, as hooks of the collections that have fields for them. */
export class FileRows implements RowHooks {
  readonly #fields: ReadonlyMap<string, readonly FileField[]>;
  /** Hooks of another capability, which run below. */
  readonly #inner: RowHooks | undefined;

  /**
   * @param store of the upload records
   * @throws {ConfigurationError} if a record cannot change in the transaction of a row
   */
  constructor(fields: ReadonlyMap<string, readonly FileField[]>, { storage, hooks }: Pick<Environment, "storage" | "hooks">, store: UploadStore) {
    this.#fields = fields;
    this.#inner = hooks;
    const names = [...fields].flatMap(([collection, own]) => own.map(({ name }) => `${collection}.${name}`)).join(", ");
    if (storage.transaction === undefined) {
      throw new ConfigurationError(`Files of ${names} are claimed within transactions, which the storage "${storage.name}" does not have.`);
    }
    if (store !== storage.uploads) {
      throw new ConfigurationError(`Files of ${names} need the records of uploads beside the rows: leave "store" of uploads() out.`);
    }
  }

  isolationOf(collection: string): Isolation | undefined {
    return this.#inner?.isolationOf(collection);
  }

  concerns(collection: string): boolean {
    return this.#fields.has(collection) || this.#inner?.concerns(collection) === true;
  }

  stages(write: HookedWrite): readonly WriteStage[] {
    const { writer, model, tx } = write;
    const others = this.#inner?.concerns(model.name) ? this.#inner.stages(write) : [];
    const fields = this.#fields.get(model.name);
    if (fields === undefined || tx.uploads === undefined) return others;
    const keepsDeleted = model.table?.options.softDelete !== undefined;
    const own = new ClaimStage({ fields, claims: new Claims(tx.uploads, model.name, writer), idName: model.id, keepsDeleted });
    return [own, ...others];
  }
}
