/** What JSON has as it is. */
export type Scalar = string | number | boolean | null | undefined;

/** A value as answers have it: dates and bigints are text. */
export type Wire<T> = [T] extends [Scalar] ? T : WireOf<T>;

/** A row as answers have it. */
export type WireRow<T> = { [K in keyof T]: Wire<T[K]> };

type WireOf<T> = T extends Scalar ? T : T extends Date | bigint ? string : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;

/** A value as requests take it: also a date or a bigint, which is sent as text. */
export type Sent<T> = [T] extends [Scalar] ? T : SentOf<T>;

type SentOf<T> = T extends Scalar ? T : T extends Date | bigint ? T | string : T extends object ? { [K in keyof T]: Sent<T[K]> } : T;

/** A value that an earlier operation of the same batch is going to have. */
export interface Reference<T> {
  readonly $result: string;
  /** For the compiler only: always absent. */
  readonly type?: T;
}

/** What an operation of a batch is going to answer, to be named in later ones. */
export type References<T> = { readonly [K in keyof T]-?: Reference<NonNullable<T[K]>> };

/** A value as requests of a batch take it. */
export type SentInBatch<T> = T extends unknown
  ? { [K in keyof T]: Sent<T[K]> | ([T[K]] extends [undefined] ? never : Reference<Wire<NonNullable<T[K]>>>) }
  : never;
