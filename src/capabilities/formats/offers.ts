import type { AnswerFormat } from "../../engine/operation/answers/answerFormat.js";
import type { Operation } from "../../engine/operation/operation.js";
import { namesXml, selectType } from "../../language/negotiation/accept.js";
import { notAcceptable } from "../../language/negotiation/notAcceptable.js";
import type { Format } from "./format.js";

/** What an operation can answer, other than JSON, by media type. */
export type Offer = ReadonlyMap<string, Offered>;

interface Offered {
  readonly format: AnswerFormat;
  /** Whether `Accept` must name XML, and not `text/html`. */
  readonly isChosen: boolean;
}

/**
 * The formats of an operation's answers; `undefined` if its answers are not negotiated here: they have no content, are files, or depend on `Accept` otherwise.
 *
 * @param accepts formats that the collection of the operation accepts
 */
export function offerOf(formats: readonly Format[], operation: Operation, accepts: ReadonlySet<string> | undefined): Offer | undefined {
  const { access, answers, method, vary = "" } = operation;
  if (access === undefined || answers === "other" || method === "DELETE" || /\bAccept\b/.test(vary)) return undefined;
  const usable = formats.filter(({ name, isChosen, writeList, writeRow }) => {
    const writes = answers === "list" ? writeList : answers === "row" ? writeRow : undefined;
    return writes !== undefined && (isChosen !== true || accepts?.has(name) === true);
  });
  return new Map(
    usable.flatMap((format) =>
      format.types.map((type) => [type, { format: answerFormat(format, type), isChosen: format.isChosen === true }] as const),
    ),
  );
}

function answerFormat({ name, parameters = "", writeList, writeRow }: Format, type: string): AnswerFormat {
  const contentType = `${type}${parameters}`;
  return {
    name,
    contentType,
    ...(writeRow && {
      viewOf: (view, rows) => ({
        ...view,
        tag: view.tag === undefined ? name : `${view.tag}.${name}`,
        format: { contentType, write: (value) => writeRow(rows, view, value) },
      }),
    }),
    writeList: (list) => writeList?.(list) ?? "",
  };
}

/** The media types of JSON without versions. */
const plainJson: readonly string[] = ["application/json"];

/** Selected formats by values of `Accept`; clients send few. */
const maxKnown = 256;
const maxKnownLength = 256;

/** Selects the format of an answer; `undefined` for JSON, which comes first of all that a client likes equally. @throws {ProblemError} NOT_ACCEPTABLE */
export type SelectAnswer = (accept: string | undefined, json?: readonly string[]) => AnswerFormat | undefined;

/** Selects among the offers of an operation, and remembers what common values of `Accept` select. */
export function selectorOf(offer: Offer): SelectAnswer {
  const known = new Map<string, AnswerFormat | undefined>();
  return (accept, json = plainJson) => {
    if (accept === undefined || accept === "*/*" || (accept === "application/json" && json === plainJson)) return undefined;
    if (json !== plainJson || accept.length > maxKnownLength) return selectNow(offer, accept, json);
    if (known.has(accept)) return known.get(accept);
    const format = selectNow(offer, accept, json);
    if (known.size >= maxKnown) known.clear();
    known.set(accept, format);
    return format;
  };
}

function selectNow(offer: Offer, accept: string, json: readonly string[]): AnswerFormat | undefined {
  const isXml = [...offer.values()].some(({ isChosen }) => isChosen) && namesXml(accept);
  const others = [...offer.keys()].filter((type) => offer.get(type)?.isChosen === false || isXml);
  const selected = selectType(accept, [...json, ...others]);
  if (selected === undefined) throw notAcceptable("Accept", [...json, ...offer.keys()]);
  return offer.get(selected)?.format;
}
