import type { Bindings } from "../../engine/bindings.js";
import type { RecordsetColumn } from "../../write/recordset.js";

/** Bytes of many rows as one parameter: JSON has no bytes. Hexadecimal text in it takes ten times the processor time (500 instead of 50 ms for 30 MB on SQLite). */
interface PackedBytes {
  /** Where the bytes of each row are: the columns `start` and `length` for `jsonRows`. */
  readonly columns: readonly [start: RecordsetColumn, length: RecordsetColumn];
  /** Expression for the bytes of a row, from the expressions of these columns. Stands in the text before the source of `jsonRows`. */
  expression(start: string, length: string): string;
}

/** Binds the bytes of rows. Called before `jsonRows`, as values are bound in the order of the text. */
export function packBytes(bindings: Bindings, values: readonly Uint8Array[]): PackedBytes {
  const starts: number[] = [];
  let end = 0;
  for (const { byteLength } of values) {
    starts.push(end + 1);
    end += byteLength;
  }
  // Drivers may bind empty bytes as null, so there is one more than the rows have.
  const parameter = bindings.bind(Buffer.concat([...values, Buffer.alloc(1)]));
  return {
    columns: [
      { kind: "int", values: starts },
      { kind: "int", values: values.map(({ byteLength }) => byteLength) },
    ],
    expression: (start, length) => bindings.dialect.bytes.part(parameter, start, length),
  };
}
