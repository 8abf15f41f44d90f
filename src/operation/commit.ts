import type { HttpResponse } from "../http/message.js";
import type { Collection, Row } from "../storage/collection.js";
import { complete } from "../storage/complete.js";
import type { CollectionModel } from "../storage/model.js";
import type { Outcome } from "../storage/outcome.js";
import type { Storage } from "../storage/storage.js";
import type { Context } from "./context.js";
import type { Environment } from "./environment.js";
import { retrying } from "./retry.js";
import { heardRows } from "./rowEvents.js";

/**
 * What commits together with a write, or not at all: the record of an idempotency key, an event that is to be delivered.
 *
 * @param tx the storage of the write's transaction
 */
export type Join = (tx: Storage, response: HttpResponse) => Promise<void>;

/**
 * The rows of a collection to write on: those of a transaction, or of the storage where there is none. What belongs to every write of a row, wherever it
 * comes from, belongs here.
 */
export function writableRows(environment: Environment, model: CollectionModel, tx: Storage | undefined): Required<Collection> {
  if (tx === undefined) return environment.collection(model.name);
  const rows = complete(tx.collection(model), model.id);
  const { events } = environment;
  return events?.concerns(model.name) ? heardRows(rows, model.name, tx, events) : rows;
}

/** Whether something belongs to every write of the collection, so that each needs a transaction. */
export function isHeard({ events }: Environment, { name }: CollectionModel): boolean {
  return events?.concerns(name) === true;
}

/** A write, and the answer to it where it succeeded. */
export interface Committed {
  readonly outcome: Outcome<Row>;
  readonly response?: HttpResponse | undefined;
}

/**
 * The one place where writes are committed. Where something joins the write, both go into one transaction, which is run again when it loses against
 * another; otherwise the write stands alone, atomic by contract.
 *
 * @param write on the rows of the transaction
 * @param answer made of the row as it was written
 */
export async function commitWrite(
  context: Context,
  model: CollectionModel,
  write: (rows: Required<Collection>) => Promise<Outcome<Row>>,
  answer: (row: Row) => HttpResponse,
): Promise<Committed> {
  const { environment, joins } = context;
  if (joins.length === 0 && !isHeard(environment, model)) {
    const outcome = await write(writableRows(environment, model, undefined));
    return outcome.ok ? { outcome, response: answer(outcome.row) } : { outcome };
  }
  return retrying(
    () =>
      environment.transaction(async (tx) => {
        const outcome = await write(writableRows(environment, model, tx));
        if (!outcome.ok) return { outcome };
        const response = answer(outcome.row);
        for (const join of joins) await join(tx, response);
        return { outcome, response };
      }),
    environment,
  );
}
