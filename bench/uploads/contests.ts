import type { Contest, UploadComparison } from "./contest.js";
import { type FormName, formNames, peerNames } from "./formNames.js";
import { largeForms, smallForms } from "./formWorks.js";
import type { UploadBenchOptions } from "./options.js";
import { quantityOfBytes, quantityOfForms } from "./quantity.js";
import { tusNames } from "./tusNames.js";
import { tusWorks } from "./tusWorks.js";
import type { UploadEntrant, UploadEntrantStart } from "./uploadEntrant.js";

/**
 * The most that the ratios may be: of the time and the CPU time of multer, of the CPU time of multer for small files, and of `@tus/server`: of its CPU time where each piece is
 * durable, of both where only the file is.
 */
const bars = { multer: 0.71, smallForms: 0.9, tusPiece: 0.65, tusFile: 0.5 };

/** @param peers where the parsers were installed that are no dependencies; `undefined`: they do not take part */
export function formStarts(program: string, peers: string | undefined): readonly UploadEntrantStart[] {
  const taking = Object.values(formNames).filter((name) => peers !== undefined || !peerNames.has(name));
  return taking.map((name) => ({ name, program, options: peers === undefined ? [] : ["--peers", peers] }));
}

export function tusStarts(program: string): readonly UploadEntrantStart[] {
  return Object.values(tusNames).map((name) => ({ name, program }));
}

export function largeFormContest(entrants: readonly UploadEntrant[], { formBytes }: UploadBenchOptions): Contest {
  const others = againstOthers();
  const { restwright, restwrightUnsynced, multer, multerFlush, pipeline } = formNames;
  return {
    title: `a form with a file of ${mebibytes(formBytes)} MiB`,
    works: largeForms(entrants, formBytes),
    quantity: quantityOfBytes(formBytes),
    comparisons: [
      { one: restwright, other: multer, bar: bars.multer, cpuBar: bars.multer },
      { one: restwright, other: multerFlush },
      { one: restwrightUnsynced, other: multer },
      { one: restwrightUnsynced, other: pipeline },
      ...others.filter(({ other }) => other !== multer && other !== multerFlush),
    ],
  };
}

export function smallFormContest(entrants: readonly UploadEntrant[], { files }: UploadBenchOptions): Contest {
  return {
    title: `${files} forms with a file of 4 KiB, on 8 connections`,
    works: smallForms(entrants, files),
    quantity: quantityOfForms(files),
    comparisons: againstOthers().map((comparison) =>
      comparison.other === formNames.multer ? { ...comparison, cpuBar: bars.smallForms } : comparison,
    ),
  };
}

function againstOthers(): readonly UploadComparison[] {
  const { restwright, restwrightUnsynced } = formNames;
  const own: ReadonlySet<FormName> = new Set([restwright, restwrightUnsynced]);
  return Object.values(formNames)
    .filter((name) => !own.has(name))
    .map((other) => ({ one: restwright, other }));
}

/** One file at a time, and several. */
export const tusContests = [tusContest(1), tusContest(4)] as const;

function tusContest(atOnce: number) {
  const isBarred = atOnce === 1;
  return (entrants: readonly UploadEntrant[], { tusBytes, chunkBytes }: UploadBenchOptions): Contest => ({
    title: `${mebibytes(tusBytes)} MiB in pieces of ${mebibytes(chunkBytes)} MiB, ${atOnce === 1 ? "one file" : `${atOnce} files at once`}`,
    works: tusWorks(entrants, { bytes: tusBytes, chunkBytes }, atOnce),
    quantity: quantityOfBytes(tusBytes),
    comparisons: [
      { one: tusNames.restwright, other: tusNames.peer, cpuBar: isBarred ? bars.tusPiece : undefined },
      { one: tusNames.restwrightFile, other: tusNames.peer, ...(isBarred ? { bar: bars.tusFile, cpuBar: bars.tusFile } : {}) },
    ],
  });
}

function mebibytes(bytes: number): number {
  return bytes / 1_048_576;
}
