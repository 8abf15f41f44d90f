import { type Progress, progressBar, progressSentence } from "./progressLine.js";
import { RateWindow } from "./rateWindow.js";
import type { Terminal } from "./terminal.js";

const redrawMs = 100;
const lineMs = 5_000;
const usualColumns = 80;
/** Carriage return, and "erase the whole line" of ECMA-48. */
const eraseLine = "\r\u001b[2K";

/** What people see of a command: one line that is redrawn on a terminal, a line now and then in a log. */
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
      // A terminal that is full to its last column would wrap; some do not know how wide they are.
      stderr.write(`${eraseLine}${progressBar(whole, (stderr.columns || usualColumns) - 1)}`);
      this.#isDrawn = true;
    } else stderr.write(`${progressSentence(whole)}\n`);
  }

  /** A line that stays, unless people want none. */
  note(text: string): void {
    if (!this.#isQuiet) this.report(text);
  }

  /** A line that stays and that everybody is to see. */
  report(text: string): void {
    this.clear();
    this.#terminal.stderr.write(`${text}\n`);
  }

  /** Takes the line that is redrawn away. */
  clear(): void {
    if (this.#isDrawn) this.#terminal.stderr.write(eraseLine);
    this.#isDrawn = false;
    if (this.#isLive) this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  get #isLive(): boolean {
    return this.#terminal.stderr.isTTY === true;
  }

  /** Where nothing is redrawn, what is over soon needs no line. */
  #begin(label: string, now: number): void {
    this.#label = label;
    this.#rate = new RateWindow();
    this.#drawnMs = this.#isLive ? Number.NEGATIVE_INFINITY : now;
  }
}
