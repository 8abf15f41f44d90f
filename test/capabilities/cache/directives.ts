import { boolean, constant, integer, option, record } from "fast-check";

const seconds = option(integer({ min: 0, max: 5 }), { nil: undefined });
/** Directives of every kind, most of them contradictory. */
export const anyDirectives = record({
  public: boolean(),
  private: boolean(),
  noStore: option(constant(true), { nil: undefined, freq: 1 }),
  noCache: boolean(),
  maxAge: seconds,
  sMaxAge: seconds,
  staleWhileRevalidate: seconds,
  mustRevalidate: boolean(),
  immutable: boolean(),
});
