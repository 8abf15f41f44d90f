import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { RowEvents, RowWrite } from "./rowEvents.js";
import type { Creation, Need, Removal, Update, WriteStage } from "./stage.js";

/** Passes the writes of a transaction to `events` before the commit. */
export class EventStage implements WriteStage {
  readonly #tell: (writes: readonly RowWrite[], call: Call) => Promise<void>;

  /** @param name of the collection */
  constructor(name: string, tx: Storage, events: RowEvents) {
    this.#tell = async (writes, call) => {
      if (writes.length > 0) await events.join(tx, name, writes, call);
    };
  }

  needsForUpdate(): Need {
    return "read";
  }

  async create({ rows, call }: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    // Events contain the whole rows, even if the caller needs less.
    const outcomes = await next({ rows, call: { ...call, returning: "row" } });
    await this.#tell(outcomes.flatMap(written("create")), call);
    return outcomes;
  }

  async updateEach(updates: readonly Update[], next: (updates: readonly Update[]) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const outcomes = await next(updates);
    const writes = updates.flatMap(({ before }, index): RowWrite[] => {
      const outcome = outcomes[index];
      return outcome?.ok ? [{ kind: "update", row: outcome.row, before }] : [];
    });
    await this.#tell(writes, updates[0]?.call ?? {});
    return outcomes;
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const outcome = await next(removal);
    await this.#tell([outcome].flatMap(written("remove")), removal.call);
    return outcome;
  }
}

/** What was written; nothing if it was told before, by an earlier attempt of the same operation or as the dependent of another row. */
function written(kind: "create" | "remove"): (outcome: Outcome<Row>) => RowWrite[] {
  return (outcome) => (outcome.ok && outcome.created !== false ? [{ kind, row: outcome.row }] : []);
}
