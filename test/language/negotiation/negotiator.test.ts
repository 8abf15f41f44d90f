import fc from "fast-check";
import Negotiator from "negotiator";
import { describe, expect, test } from "vitest";
import { parseWeighted, selectCharset, selectEncoding, selectLanguage, selectType } from "../../../src/language/negotiation/index.js";
import { differences, reasons } from "./negotiatorDifferences.js";
import { charsets, encodings, languages, types } from "./negotiatorFacts.js";
import { ownCharsets, ownEncodings, ownLanguages, ownTypes } from "./negotiatorOwnOrder.js";

type Select = (header: string | undefined, offered: readonly string[]) => string | undefined;

/** All that is acceptable, the selected one first: what is selected is no longer offered the next time. */
function ranked(select: Select, header: string | undefined, offered: readonly string[]): readonly string[] {
  const selected = select(header, offered);
  const index = selected === undefined ? -1 : offered.indexOf(selected);
  return selected === undefined || index === -1 ? [] : [selected, ...ranked(select, header, offered.toSpliced(index, 1))];
}

const kinds = [
  { kind: "types", select: selectType, facts: types },
  { kind: "charsets", select: selectCharset, facts: charsets },
  { kind: "encodings", select: selectEncoding, facts: encodings },
  { kind: "languages", select: selectLanguage, facts: languages },
] as const;

const isSame = (left: readonly unknown[], right: readonly unknown[]) => JSON.stringify(left) === JSON.stringify(right);

describe.each(kinds)("the test cases of negotiator for $kind", ({ kind, select, facts }) => {
  test.each(facts)("%s of %j", (header, offered, expected) => {
    const difference = differences.find(
      (each) => each.kind === kind && each.header === header && isSame(each.offered, offered) && isSame(each.theirs, expected),
    );
    expect(ranked(select, header, offered)).toEqual(difference?.result ?? expected);
  });
});

test("every listed difference is one from a test case, and has a reason", () => {
  for (const { kind, header, offered, theirs, result, reason } of differences) {
    const facts: readonly (readonly unknown[])[] = kinds.find((each) => each.kind === kind)?.facts ?? [];
    expect(facts.filter((fact) => isSame(fact, [header, offered, theirs]))).toHaveLength(1);
    expect(result).not.toEqual(theirs);
    expect(reasons[reason]).toBeDefined();
  }
});

describe("what a client prefers by itself is what negotiator finds", () => {
  const inOrder = (name: string, header: string | undefined) => {
    const listed = parseWeighted(name, header) ?? [{ range: name === "Accept" ? "*/*" : "*", quality: 1 }];
    return listed
      .filter(({ quality }) => quality > 0)
      .sort((left, right) => right.quality - left.quality)
      .map(({ range }) => range);
  };
  const lower = (expected: readonly string[]) => expected.map((each) => each.toLowerCase());

  test.each(ownTypes)("Accept: %s", (header, expected) => expect(inOrder("Accept", header)).toEqual(lower(expected)));
  test.each(ownCharsets)("Accept-Charset: %s", (header, expected) => expect(inOrder("Accept-Charset", header)).toEqual(lower(expected)));
  test.each(ownLanguages)("Accept-Language: %s", (header, expected) => expect(inOrder("Accept-Language", header)).toEqual(lower(expected)));
  // negotiator adds `identity` to the codings that are listed, which selectEncoding does itself.
  test.each(ownEncodings)("Accept-Encoding: %s", (header, expected) => {
    const listed = header === undefined ? [] : inOrder("Accept-Encoding", header);
    const isAdded = !listed.includes("identity") && expected.includes("identity");
    expect(listed).toEqual(lower(expected).filter((each) => !isAdded || each !== "identity"));
    if (isAdded) expect(selectEncoding(header, [])).toBe("identity");
  });
});

describe("for any well-formed header the result is the one of negotiator", () => {
  const weight = fc.oneof(
    fc.constant(""),
    fc.integer({ min: 0, max: 1_000 }).map((quality) => `;q=${quality / 1_000}`),
  );
  const headers = (...ranges: readonly string[]) => {
    // negotiator prefers the client's order among equal qualities: with different ones both must agree.
    const list = fc.uniqueArray(fc.tuple(fc.constantFrom(...ranges), weight), {
      minLength: 1,
      comparator: (left, right) => left[0] === right[0] || left[1] === right[1],
    });
    return list.map((all) => all.map((each) => each.join("")).join(", "));
  };
  const offers = (...all: readonly string[]) => fc.shuffledSubarray([...all], { minLength: 1, maxLength: 1 });

  test("for media types", () => {
    const property = fc.property(
      headers("text/*", "*/*", "text/csv", "application/json", "application/xml"),
      offers("text/csv", "text/html", "application/json"),
      (accept, offered) => {
        expect(selectType(accept, offered)).toBe(new Negotiator({ headers: { accept } }).mediaType(offered));
      },
    );
    fc.assert(property, { seed: 1, numRuns: 1_000 });
  });

  test("for charsets", () => {
    const property = fc.property(headers("utf-8", "*", "iso-8859-1"), offers("utf-8", "iso-8859-1", "utf-16"), (header, offered) => {
      expect(selectCharset(header, offered)).toBe(new Negotiator({ headers: { "accept-charset": header } }).charset(offered));
    });
    fc.assert(property, { seed: 1, numRuns: 1_000 });
  });

  test("for content codings", () => {
    const codings = ["br", "gzip", "identity"];
    const property = fc.property(headers("br", "gzip", "*", "identity", "deflate"), (header) => {
      const negotiator: { encodings(offered: string[], options: object): string[] } = new Negotiator({ headers: { "accept-encoding": header } });
      const selected = selectEncoding(header, codings);
      const theirs = negotiator.encodings(codings, { preferred: codings });
      expect(selected === undefined ? [] : [selected]).toEqual(theirs.slice(0, 1));
    });
    fc.assert(property, { seed: 1, numRuns: 1_000 });
  });

  test("for languages, if every range is a tag that is offered", () => {
    const property = fc.property(headers("en", "de", "fr"), fc.constant(["fr", "en", "de"]), (header, offered) => {
      expect(selectLanguage(header, offered)).toBe(new Negotiator({ headers: { "accept-language": header } }).language(offered));
    });
    fc.assert(property, { seed: 1, numRuns: 1_000 });
  });
});
