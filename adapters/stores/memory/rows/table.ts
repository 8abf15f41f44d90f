import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { ChangeRing } from "./changeRing.js";
import { CommittedPartition } from "./committed.js";
import { idKey } from "./partition.js";

/** The committed rows of one collection, one partition per tenant, and the counter of its ids. */
export class Table {
  readonly #partitions = new Map<string | undefined, CommittedPartition>();
  #model: CollectionModel;
  #lastId = 0;
  readonly #changes: ChangeRing | undefined;

  constructor(model: CollectionModel, changes?: ChangeRing) {
    this.#model = model;
    this.#changes = changes;
  }

  get model(): CollectionModel {
    return this.#model;
  }

  partition(tenant: string | undefined): CommittedPartition {
    let partition = this.#partitions.get(tenant);
    if (partition === undefined) {
      partition = new CommittedPartition(this.#model);
      this.#keepChanges(tenant, partition);
      this.#partitions.set(tenant, partition);
    }
    return partition;
  }

  /** The next id. Ids of a transaction that was rolled back are not reused. */
  nextId(): Id {
    this.#lastId += 1;
    return this.#idKind() === "bigint" ? BigInt(this.#lastId) : this.#lastId;
  }

  /** Moves the counter past an id that the caller assigned. */
  reserve(id: Id): void {
    const key = idKey(id);
    if (typeof key === "number" && key > this.#lastId) this.#lastId = key;
  }

  /** Replaces the model: keeps the rows and rebuilds the indexes. */
  adopt(model: CollectionModel): void {
    this.#model = model;
    for (const [tenant, before] of this.#partitions) {
      const partition = new CommittedPartition(model);
      before.copyInto(partition);
      this.#keepChanges(tenant, partition);
      this.#partitions.set(tenant, partition);
    }
  }

  /** Has the writes of a partition noted, if the changes of the collection are kept. */
  #keepChanges(tenant: string | undefined, partition: CommittedPartition): void {
    const { name, keepsChanges } = this.#model;
    if (!keepsChanges) return;
    partition.noteChange = (id, before, after) => {
      const kind = after === undefined ? "remove" : before === undefined ? "create" : "update";
      if (before !== undefined || after !== undefined)
        this.#changes?.add(name, { kind, tenant, id: ((after ?? before)?.[this.#model.id] as Id) ?? id, before });
    };
  }

  #idKind(): string | undefined {
    return this.#model.columns.find(({ name }) => name === this.#model.id)?.kind;
  }
}
