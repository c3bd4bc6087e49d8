import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { colourName } from '../common/colours.ts';
import { copyText } from '../common/copy.ts';
import type { Resource } from '../common/resource.ts';
import { Failure } from '../common/states.tsx';
import type { Form } from './form.ts';
import { route } from './route.ts';
import type { Car } from './types.ts';

interface PageProps {
  title: string;
  lead?: ComponentChildren;
  /** Beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A page. Its title gets the focus on navigation, so that screen readers announce it. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Dealer console`;
  }, [title]);
  useEffect(() => {
    // Not on the first page: there a screen reader starts at the top.
    const { page, id } = route.peek();
    const place = `${page}/${id}`;
    if (lastPlace !== undefined && lastPlace !== place) heading.current?.focus();
    lastPlace = place;
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead === undefined ? null : <p class="soft">{lead}</p>}
        </div>
        {actions === undefined ? null : <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

let lastPlace: string | undefined;

interface SubmitProps {
  form: Pick<Form<string>, 'failure' | 'isSending'>;
  kind?: 'main' | 'danger';
  children: ComponentChildren;
}

/** The button that sends a form. */
export function Submit({ form, kind = 'main', children }: SubmitProps) {
  return (
    <Button kind={kind} type="submit" disabled={form.isSending}>
      {children}
    </Button>
  );
}

interface FormEndProps extends Pick<SubmitProps, 'form' | 'kind'> {
  submit: ComponentChildren;
  /** Further buttons, before the one that submits. */
  children?: ComponentChildren;
}

/** The error of a form and its buttons. */
export function FormEnd({ submit, children, ...button }: FormEndProps) {
  return (
    <>
      <Failure text={button.form.failure} />
      <div class="form-end">
        {children}
        <Submit {...button}>{submit}</Submit>
      </div>
    </>
  );
}

/** A button that loads a resource again. */
export function Refresh({ of: { reload, isLoading } }: { of: Resource<unknown> }) {
  return (
    <Button onClick={reload} disabled={isLoading}>
      Refresh
    </Button>
  );
}

/** What people call a car. */
export const nameOf = ({ plate, vin }: Pick<Car, 'plate' | 'vin'>): string => plate ?? vin;

/** The address of its page. */
const carPath = (vin: string): string => `#/cars/${encodeURIComponent(vin)}`;

/** Plate, model and colour. */
export function CarLooks({ car, isLink = false }: { car: Car; isLink?: boolean }) {
  const { vin, plate, model, colour } = car;
  const name =
    plate === null ? <span class="soft">no plate</span> : <span class="plate">{plate}</span>;
  return (
    <div class="looks">
      {isLink ? <a href={carPath(vin)}>{name}</a> : name}
      <span class="looks-model">
        {model ?? 'Unknown model'}
        {colour === null ? null : (
          <span class="soft small">
            <span class="swatch" style={{ backgroundColor: colour }} />
            {colourName(colour)}
          </span>
        )}
      </span>
    </div>
  );
}

const COPIED_MS = 1500;

/** A VIN with a button that copies it. */
export function Vin({ vin }: { vin: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(vin))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <span class="vin">
      <span class="mono">{vin}</span>
      <Button kind="quiet" size="small" label={`Copy the VIN ${vin}`} onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </span>
  );
}

/** Attributes of a link to a viewer. The viewer may ask this page for its session: see `viewer-session.ts`. */
export function viewerLink(viewerUrl: string, shown: Readonly<Record<string, string>>) {
  return {
    href: `${viewerUrl}#${new URLSearchParams(shown)}`,
    ...{ target: '_blank', rel: 'opener' },
  };
}

/** A link to the viewer, which picks the car. */
export function CityLink({ car, elsewhere = 'not now' }: { car: Car; elsewhere?: string }) {
  if (car.viewer_url === null) return <span class="soft">{elsewhere}</span>;
  return (
    <a {...viewerLink(car.viewer_url, { car: car.vin })}>
      Watch it drive<span class="visually-hidden"> {nameOf(car)}</span>
    </a>
  );
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** The date of a timestamp of the service. */
export function dayOf(time: string): string {
  return day.format(new Date(time));
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Day and time of a timestamp of the service. */
export function timeOf(time: string): string {
  return moment.format(new Date(time));
}

/** The day of free text, which may be no date. */
export function dayWritten(text = ''): string {
  return Number.isNaN(Date.parse(text)) ? text || '–' : dayOf(text);
}

/** `1 car`, `2 cars`. */
export function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}
