import { printableLines } from "./printable.js";
import { type Progress, progressBar, progressSentence } from "./progressLine.js";
import type { Terminal } from "./terminal.js";

const redrawMs = 100;
const lineMs = 5_000;
const usualColumns = 80;
/** Carriage return, and "erase the whole line" of ECMA-48. */
const eraseLine = "\r\u001b[2K";

/** Shows progress: as one line that is redrawn on a terminal, as a line every few seconds in a log. */
export class Display {
  readonly #terminal: Terminal;
  readonly #isQuiet: boolean;
  #label = "";
  #rate = new RateWindow();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(terminal: Terminal, { isQuiet }: { readonly isQuiet: boolean }) {
    this.#terminal = terminal;
    this.#isQuiet = isQuiet;
  }

  show(progress: Omit<Progress, "perSecond">): void {
    const now = this.#terminal.now();
    if (progress.label !== this.#label) this.#begin(progress.label, now);
    this.#rate.add(progress.done, now);
    if (this.#isQuiet || now - this.#drawnMs < (this.#isLive ? redrawMs : lineMs)) return;
    this.#drawnMs = now;
    const { stderr } = this.#terminal;
    const whole: Progress = { ...progress, perSecond: this.#rate.perSecond };
    if (this.#isLive) {
      // One column less, since some terminals wrap after the last column. Some terminals do not know their width.
      stderr.write(`${eraseLine}${progressBar(whole, (stderr.columns || usualColumns) - 1)}`);
      this.#isDrawn = true;
    } else stderr.write(`${progressSentence(whole)}\n`);
  }

  /** Writes a line, unless the command is quiet. */
  note(text: string): void {
    if (!this.#isQuiet) this.report(text);
  }

  /** Writes a line, even if the command is quiet. */
  report(text: string): void {
    this.clear();
    this.#terminal.stderr.write(`${printableLines(text)}\n`);
  }

  /** Erases the line that is redrawn. */
  clear(): void {
    if (this.#isDrawn) this.#terminal.stderr.write(eraseLine);
    this.#isDrawn = false;
    if (this.#isLive) this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  get #isLive(): boolean {
    return this.#terminal.stderr.isTTY === true;
  }

  /** In a log, the first line comes after some seconds, so that short work has none. */
  #begin(label: string, now: number): void {
    this.#label = label;
    this.#rate = new RateWindow();
    this.#drawnMs = this.#isLive ? Number.NEGATIVE_INFINITY : now;
  }
}

const windowMs = 15_000;
/** No rate is shown for a shorter time than this. */
const minMs = 1_000;

/** The rate over the last fifteen seconds. */
export class RateWindow {
  readonly #samples: { readonly atMs: number; readonly done: number }[] = [];

  add(done: number, nowMs: number): void {
    this.#samples.push({ atMs: nowMs, done });
    // Keeps one sample from before the window, so that there is a rate even if samples are rare.
    while ((this.#samples[1]?.atMs ?? nowMs) <= nowMs - windowMs) this.#samples.shift();
  }

  /** `undefined` until it is known. */
  get perSecond(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs - first.atMs < minMs || last.done <= first.done) return undefined;
    return ((last.done - first.done) / (last.atMs - first.atMs)) * 1_000;
  }
}
