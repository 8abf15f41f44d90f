import { button, element, field } from "./element.js";
import { type Filled, requestOf, type Shown, send } from "./request.js";

/** Adds a button to each operation that opens a form to send it. */
export function addTryIt(): void {
  for (const section of document.querySelectorAll<HTMLElement>(".operation[data-method]")) {
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

interface BodyInputs {
  readonly type: HTMLSelectElement;
  readonly text: HTMLTextAreaElement;
  readonly file: HTMLInputElement;
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

function bodyInputs(section: HTMLElement): BodyInputs | undefined {
  const types = (section.dataset["types"] ?? "").split(" ").filter(Boolean);
  if (types.length === 0) return undefined;
  const type = element("select", {}, ...types.map((each) => element("option", { value: each }, each)));
  const text = element("textarea", { spellcheck: "false" });
  const file = element("input", { type: "file" });
  text.value = section.querySelector("pre[data-example]")?.textContent ?? "";
  return { type, text, file };
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
  if (body === undefined) return sets;
  return [...sets, fieldset("Body", field("Media type", body.type), field("Text", body.text), field("or a file", body.file))];
}

function fieldset(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return element("fieldset", {}, element("legend", {}, title), ...content);
}

function filledIn(method: string, path: string, { parameters, query, body }: Inputs): Filled {
  const file = body?.file.files?.[0];
  const sent = file ?? (body === undefined || body.text.value === "" ? undefined : body.text.value);
  return {
    method,
    path,
    parameters: parameters.map(({ name, place, input }) => ({ name, place, value: input.value })),
    query: query.value,
    mediaType: body?.type.value,
    body: method === "GET" || method === "HEAD" ? undefined : sent,
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
