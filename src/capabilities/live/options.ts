import { optionsCheck, strict, whole } from "../../ground/options/index.js";

/** How many streams may be open. */
export interface MaxStreams {
  /** Of one principal; of one address, for callers without credentials. */
  readonly principal: number;
  /** Of all callers in this process. */
  readonly process: number;
}

/** Options of {@link live}. */
export interface LiveOptions {
  /** How many streams may be open: `{ principal: 10, process: 10_000 }`. */
  readonly maxStreams?: Partial<MaxStreams> | undefined;
  /** How long the changes of each collection are kept: the youngest ones, at most `changes` (10,000) and for `ms` milliseconds (600,000). */
  readonly keep?: { readonly changes?: number | undefined; readonly ms?: number | undefined } | undefined;
}

export const checkLiveOptions = /* @__PURE__ */ optionsCheck("live", () =>
  strict<LiveOptions>({
    maxStreams: strict<Partial<MaxStreams>>({ principal: whole(1), process: whole(1) }),
    keep: strict<NonNullable<LiveOptions["keep"]>>({ changes: whole(1, 1_000_000), ms: whole(1_000, 604_800_000) }),
  }),
);
