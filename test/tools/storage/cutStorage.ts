import { type Collection, type Storage, Unavailable } from "restwright";
import { boundStorage, transactionOf } from "./boundStorage.js";

/** What is lost of a write: its answer (`after`), the write itself when it was to commit (`commit`), or the connection before it (`before`). */
export type Loss = "after" | "commit" | "before";

/** A storage of rows whose connection breaks once. */
export interface CutStorage {
  readonly storage: Storage;
  /** Begins to count writes again, and breaks the connection at the one with this number: a transaction, or a write of rows that is in none. */
  cutAt(write: number, loss: Loss): void;
  /** How many writes began since then. */
  readonly writes: number;
}

const writing: ReadonlySet<string | symbol> = new Set(["insert", "insertMany", "update", "updateEach", "updateMany", "remove", "removeMany"]);

const cut = () => new Unavailable("The connection was cut.");
const refused = () => new Unavailable("The connection was refused.", { wroteNothing: true });

/** Only writes of rows count, and what joins them. Records that are written alone are not cut. */
export function cutStorage(inner: Storage): CutStorage {
  let chosen: { readonly write: number; readonly loss: Loss } | undefined;
  let writes = 0;
  const begun = (): Loss | undefined => (++writes === chosen?.write ? chosen.loss : undefined);
  const written = async <R>(loss: Loss | undefined, write: () => Promise<R>): Promise<R> => {
    if (loss === "before") throw refused();
    if (loss === "commit") throw cut();
    const result = await write();
    if (loss === "after") throw cut();
    return result;
  };
  const transaction: NonNullable<Storage["transaction"]> = async (run, options) => {
    const loss = begun();
    if (loss === "before") throw refused();
    const rolledBack = new Error("The commit did not arrive.");
    try {
      return await written(loss === "after" ? loss : undefined, () =>
        transactionOf(inner)(async (tx) => {
          const answer = await run(tx);
          if (loss === "commit") throw rolledBack;
          return answer;
        }, options),
      );
    } catch (error) {
      throw error === rolledBack ? cut() : error;
    }
  };
  const collection: Storage["collection"] = (model) => {
    const rows = inner.collection(model);
    return new Proxy(rows, {
      get(target, member): unknown {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        if (!writing.has(member)) return value.bind(target);
        return (...given: unknown[]) => written(begun(), async () => Reflect.apply(value as Collection["update"], target, given));
      },
    });
  };
  const changes = inner.transaction === undefined ? { collection } : { collection, transaction };
  return {
    storage: boundStorage(inner, changes),
    cutAt(write, loss) {
      chosen = { write, loss };
      writes = 0;
    },
    get writes() {
      return writes;
    },
  };
}
