import { byId, element, setText } from './dom.ts';

export interface Question {
  title: string;
  text: string;
  /** Label of the button that does it; undefined: there is nothing to be done. */
  action: string | undefined;
  /** It does more than one would see at first. */
  isGrave?: boolean;
  /** What it may be done to; undefined: no choice. */
  choices?: readonly { value: string; label: string }[] | undefined;
}

const dialog = byId('dialog', HTMLDialogElement);
const action = byId('dialog-do', HTMLButtonElement);
const choice = byId('dialog-choice', HTMLElement);
const select = byId('dialog-select', HTMLSelectElement);

/** The last question; resolved when its dialog has told that it is closed. */
let last: Promise<unknown> = Promise.resolve();

/** Asks before something is done. Resolves to the choice, or empty without one; undefined: not to be done. */
export function confirmed(question: Question): Promise<string | undefined> {
  // A dialog tells later that it is closed. A question that is asked before that would take it for its own.
  const answer = last.then(() => ask(question));
  last = answer.catch(() => {});
  return answer;
}

async function ask({
  title,
  text,
  action: label,
  isGrave = false,
  choices,
}: Question): Promise<string | undefined> {
  const opener = document.activeElement;
  setText(byId('dialog-title', HTMLElement), title);
  setText(byId('dialog-text', HTMLElement), text);
  setText(action, label ?? '');
  setText(byId('dialog-leave', HTMLButtonElement), label === undefined ? 'Close' : 'Cancel');
  action.hidden = label === undefined;
  action.dataset.kind = isGrave ? 'danger' : 'main';
  choice.hidden = choices === undefined;
  select.replaceChildren(
    ...(choices ?? []).map((each) => element('option', { value: each.value }, each.label)),
  );
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise((resolve) => {
    dialog.addEventListener('close', resolve, { once: true });
  });
  if (opener instanceof HTMLElement) opener.focus();
  return dialog.returnValue === 'do' ? select.value : undefined;
}
