import { parse } from "content-type";

/** A client's quality for a type, and how specific its range is: 2 for the type, 1 for `type/*`, 0 for any type. */
interface Liking {
  readonly quality: number;
  readonly precision: number;
}

const qvalue = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Selects the offered media type with the highest quality; the first of several with the same quality.
 *
 * Parameters other than `q`, and ranges with an invalid `q`, are ignored.
 *
 * @param accept The value of the Accept header; without one all types have the same quality.
 * @param offered In lower case, without parameters.
 * @returns `undefined` if the client accepts none of them
 * @see RFC 9110 §12.5.1
 * @example
 * selectType("text/csv;q=0.5, application/json", ["text/csv", "application/json"]); // "application/json"
 */
export function selectType<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  if (accept === undefined) return offered[0];
  let selected: T | undefined;
  let best = 0;
  for (const type of offered) {
    const quality = qualityOf(type, accept);
    if (quality > best) [selected, best] = [type, quality];
  }
  return selected;
}

/** The most specific range that contains the type counts. */
function qualityOf(type: string, accept: string): number {
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  let best: Liking = { quality: 0, precision: -1 };
  for (let index = 0; index < accept.length; ) {
    const range = parse(accept, { comma: true, start: index });
    index = range.index + 1;
    const place = ranges.indexOf(range.type);
    const weight = range.parameters["q"] ?? "1";
    if (place === -1 || !qvalue.test(weight)) continue;
    const liking: Liking = { quality: Number(weight), precision: 2 - place };
    const isCloser = liking.precision > best.precision;
    if (isCloser || (liking.precision === best.precision && liking.quality > best.quality)) best = liking;
  }
  return best.quality;
}
