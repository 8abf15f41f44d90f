import { type BodyInputs, bodyInputs } from "./body.js";
import { button, element, field, fieldset } from "./element.js";
import { type Filled, requestOf, type Shown, send } from "./request.js";

/** Adds a button to each operation that opens a form to send it, or says why this page cannot send it. */
export function addTryIt(): void {
  for (const section of document.querySelectorAll<HTMLElement>(".operation[data-method]")) {
    const { signed } = section.dataset;
    if (signed !== undefined) {
      const note = `This page cannot sign requests, which ${signed} needs. Use the curl line with your credentials.`;
      section.querySelector(".snippets")?.before(element("p", { class: "facts unsigned" }, note));
      continue;
    }
    const open = button(
      "Try it",
      () => {
        const form = tryForm(section);
        open.replaceWith(form);
        form.querySelector<HTMLElement>("input, textarea, button")?.focus();
      },
      { class: "open-try", "aria-label": `Try it: ${section.querySelector("h3")?.firstChild?.textContent?.trim() ?? ""}` },
    );
    section.querySelector(".snippets")?.before(open);
  }
}

/** The parts of a form that are read when it is sent. */
interface Inputs {
  readonly parameters: readonly { readonly name: string; readonly place: string; readonly input: HTMLInputElement }[];
  readonly query: HTMLInputElement;
  readonly body: BodyInputs | undefined;
}

function tryForm(section: HTMLElement): HTMLFormElement {
  const method = section.dataset["method"] ?? "GET";
  const path = section.dataset["path"] ?? "/";
  const inputs = inputsOf(section);
  const result = element("div", { role: "status" });
  const form = element("form", { class: "try", "aria-label": "Try it" }, ...fieldsets(inputs), sendButtons(), result);
  let running: AbortController | undefined;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void start();
  });
  return form;

  function sendButtons(): HTMLElement {
    return element(
      "div",
      { class: "actions" },
      element("button", { class: "primary" }, `Send ${method}`),
      button("Stop", () => running?.abort()),
    );
  }

  async function start(): Promise<void> {
    if (!isSafe(method) && !(await confirmed(method, path))) return;
    running?.abort();
    running = new AbortController();
    result.replaceChildren("Waiting for the answer.");
    try {
      result.replaceChildren(...answerElements(await send(requestOf(filledIn(method, path, inputs), running.signal))));
    } catch (error) {
      result.replaceChildren(`No answer: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const isSafe = (method: string) => ["GET", "HEAD", "QUERY", "OPTIONS"].includes(method);

function inputsOf(section: HTMLElement): Inputs {
  const rows = [...section.querySelectorAll<HTMLElement>("tr[data-in]")];
  const parameters = rows.map(({ dataset }) => {
    const required = dataset["required"] !== undefined;
    return {
      name: dataset["name"] ?? "",
      place: dataset["in"] ?? "",
      input: element("input", { type: "text", autocomplete: "off", spellcheck: "false", required }),
    };
  });
  return { parameters, query: element("input", { type: "text", autocomplete: "off", spellcheck: "false" }), body: bodyInputs(section) };
}

function fieldsets({ parameters, query, body }: Inputs): readonly HTMLElement[] {
  const places = [
    ["path", "Path"],
    ["query", "Query"],
    ["header", "Headers"],
  ] as const;
  const sets = places.flatMap(([place, title]) => {
    const own = parameters.filter((parameter) => parameter.place === place).map(({ name, input }) => field(name, input));
    if (own.length === 0) return [];
    return fieldset(title, ...own, ...(place === "query" ? [field("Further parameters, such as total[gte]=5", query)] : []));
  });
  return body === undefined ? sets : [...sets, body.set];
}

function filledIn(method: string, path: string, { parameters, query, body }: Inputs): Filled {
  return {
    method,
    path,
    parameters: parameters.map(({ name, place, input }) => ({ name, place, value: input.value })),
    query: query.value,
    ...(body === undefined || method === "GET" || method === "HEAD" ? { mediaType: undefined, body: undefined } : body.read()),
  };
}

/** Asks before a request that changes data. */
function confirmed(method: string, path: string): Promise<boolean> {
  const dialog = element(
    "dialog",
    { "aria-labelledby": "confirm:title" },
    element(
      "form",
      { method: "dialog" },
      element("h2", { id: "confirm:title" }, "Send this request?"),
      element("p", {}, element("code", {}, `${method} ${path}`), " changes data of this service."),
      element(
        "div",
        { class: "actions" },
        element("button", { class: "primary", value: "send" }, "Send it"),
        element("button", { value: "" }, "Cancel"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "send");
      dialog.remove();
    });
  });
}

function answerElements({ status, headers, body }: Shown): readonly HTMLElement[] {
  return [
    element("p", {}, element("strong", { class: "answer-status" }, status)),
    element("details", {}, element("summary", {}, "Headers"), element("pre", {}, headers)),
    element("pre", { class: "answer-body" }, body === "" ? "(no body)" : body),
  ];
}
