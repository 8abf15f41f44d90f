import { run, type Session } from "../../stores/sql/engine/session.js";
import type { Catalog } from "../../stores/sql/mapped/catalog.js";
import { quoteIdentifier } from "../../stores/sql/schema/identifier.js";
import { sqliteFieldType } from "./sqliteFieldType.js";

/** How the rows of a table of SQLite store their instants. Its declared types do not tell, and tools differ. */
export interface StoredInstants {
  /** The columns with whole numbers, and their unit, or with numbers of milliseconds in some rows and texts in others. */
  readonly epochs: ReadonlyMap<string, EpochForm>;
  /** The columns with numbers of seconds in some rows and texts in others, of which a field reads only one. */
  readonly mixed: ReadonlySet<string>;
  /** The columns that hold something else than the text of `CURRENT_TIMESTAMP`, which their program never lets SQLite write. */
  readonly unlikeDefault: ReadonlySet<string>;
  /** Whether all texts are like `2026-01-31 12:00:00.123`, without a zone. */
  readonly areWithoutZone: boolean;
}

/** The option `as` of a column, and `write` of a mixed one: the form that most of its rows have. */
type EpochForm = { readonly as: "epoch-ms" | "epoch-s" } | { readonly as: "mixed"; readonly write: "epoch-ms" | "text" };

/** Only the first rows of a table are read, so that a large one is described quickly. */
const maxRows = 1_000;

/** Milliseconds have passed this number since March 1973; seconds reach it in the year 5138. */
const minMs = 100_000_000_000;

/** Seconds have passed this number since March 1973; as milliseconds it is the second day of 1970. */
const minSeconds = 100_000_000;

/**
 * Reads the first rows of tables for the forms of their instants.
 *
 * @param tables by their names
 * @returns in their order
 */
export async function readStoredInstants(session: Session, tables: ReadonlyMap<string, Catalog>): Promise<readonly StoredInstants[]> {
  const read: (readonly Forms[])[] = [];
  for (const [name, { columns }] of tables) {
    const forms: Forms[] = [];
    for (const column of columns.values()) {
      if (sqliteFieldType(column)?.kind !== "datetime") continue;
      const hasTextDefault = /^\(?\s*(?:current_timestamp|datetime\b|strftime\(\s*'%Y)/i.test(column.defaultValue ?? "");
      forms.push({ ...(await formsOf(session, name, column.name)), hasTextDefault });
    }
    read.push(forms);
  }
  // The tool that wrote one column wrote the others: it decides for instants near 1970, which could be both.
  const hasSeconds = read.flat().some(({ integers, largest }) => integers > 0 && largest >= minSeconds && largest < minMs);
  const unitOf = (largest: number) => (largest >= minMs || (largest < minSeconds && !hasSeconds) ? "epoch-ms" : "epoch-s");
  return read.map((forms) => {
    const withTexts = forms.filter(({ texts }) => texts > 0);
    return {
      epochs: new Map(
        forms.flatMap((form): [string, EpochForm][] => {
          const { column, integers, texts, largest, hasTextDefault } = form;
          if (integers === 0) return [];
          const unit = unitOf(largest);
          if (unit === "epoch-ms" && (texts > 0 || hasTextDefault)) return [[column, { as: "mixed", write: texts > integers ? "text" : unit }]];
          return texts === 0 ? [[column, { as: unit }]] : [];
        }),
      ),
      mixed: new Set(withTexts.flatMap(({ column, integers, largest }) => (integers > 0 && unitOf(largest) === "epoch-s" ? [column] : []))),
      unlikeDefault: new Set(forms.flatMap(({ column, integers, texts, withoutZone }) => (integers + texts > withoutZone ? [column] : []))),
      areWithoutZone: withTexts.length > 0 && withTexts.every(({ texts, withoutZone }) => withoutZone === texts),
    };
  });
}

/** How many of the first values of a column are of which form. */
interface Forms {
  readonly column: string;
  readonly integers: number;
  readonly texts: number;
  readonly withoutZone: number;
  /** The number that is farthest from 0. */
  readonly largest: number;
  /** Whether the default of the column is a text. */
  readonly hasTextDefault: boolean;
}

async function formsOf(session: Session, table: string, column: string): Promise<Omit<Forms, "hasTextDefault">> {
  const c = quoteIdentifier(column);
  const text = `
    select count(case typeof(c) when 'integer' then 1 end) as integers, count(case typeof(c) when 'text' then 1 end) as texts, max(abs(c)) as largest,
      count(case when typeof(c) = 'text' and c glob '????-??-?? *' and not c glob '*[Zz]' and not c glob '*[+-][0-9][0-9]:[0-9][0-9]' then 1 end) as without_zone
    from (select ${c} as c from ${quoteIdentifier(table)} where ${c} is not null limit ${maxRows})`;
  const { rows } = await run(session, { text, values: [], writes: false, returns: "many" });
  const numberOf = (name: string) => Number(rows[0]?.[name] ?? 0);
  return {
    column,
    integers: numberOf("integers"),
    texts: numberOf("texts"),
    withoutZone: numberOf("without_zone"),
    largest: numberOf("largest"),
  };
}
