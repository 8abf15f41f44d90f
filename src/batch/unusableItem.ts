import { checkJson, type JsonLimits, parseJson } from "../http/json.js";
import { ProblemError } from "../problem/index.js";
import { isPlainObject } from "../schema/wire.js";

/** Stands for an item with text that no engine keeps, so that only the item falls and not its batch. */
class UnusableItem {
  readonly #item: unknown;
  readonly #problem: ProblemError;

  constructor(item: unknown, problem: ProblemError) {
    this.#item = item;
    this.#problem = problem;
  }

  /** Its pointer may hold the very text: no member, so that a look at the whole body does not come upon it. */
  get problem(): ProblemError {
    return this.#problem;
  }

  /** A batch that goes on later judges it anew. */
  toJSON(): unknown {
    return this.#item;
  }
}

/** @throws {ProblemError} VALIDATION_FAILED for an item with text that cannot be kept */
export function usable<Item>(item: Item): Item {
  if (item instanceof UnusableItem) throw item.problem;
  return item;
}

/**
 * The value of a batch's body: text that cannot be kept (NUL, half of a surrogate pair) is a fault of the item that it stands in.
 *
 * @throws {ProblemError} MALFORMED_JSON; VALIDATION_FAILED for such text outside of the items
 */
export function parseBatchJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  try {
    return parseJson(bytes, limits);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "VALIDATION_FAILED") throw error;
    // It parsed, and was within its limits up to there.
    return withoutUnusable(
      JSON.parse(
        Buffer.from(bytes)
          .toString()
          .replace(/^\uFEFF/, ""),
      ),
      limits,
    );
  }
}

/** Parts of a multipart body stand deeper than they did in their own, and were judged each by itself. */
const depthOfParts = 4;
const timesTheValues = 4;

/** The same for a value that somebody else has parsed, or that comes out of a job. */
export function checkBatchJson(value: unknown, limits: JsonLimits): unknown {
  return withoutUnusable(value, { ...limits, depth: limits.depth + depthOfParts, values: limits.values * timesTheValues });
}

function withoutUnusable(value: unknown, limits: JsonLimits): unknown {
  const body = isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([name, list]) => [name, usableItems(list, limits)])) : value;
  // What is left of it is judged as a whole: the limits hold for all items together.
  checkJson(body, limits);
  return body;
}

function usableItems(list: unknown, limits: JsonLimits): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => asUsable(item, limits)) : list;
}

function asUsable(item: unknown, limits: JsonLimits): unknown {
  try {
    checkJson(item, limits);
    return item;
  } catch (error) {
    if (error instanceof ProblemError && error.code === "VALIDATION_FAILED") return new UnusableItem(item, error);
    throw error;
  }
}
