//! Tests with one process that connects to itself. Tests with two processes are in C++ (`cpp_tests/ipc_*_test.cpp`).

use std::ffi::CStr;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Instant;

use rustix::net::SocketFlags;

use super::listener::{Bound, Listener};
use super::*;

/// A time longer than any wait of the broker, however late it is.
const LONG: Duration = PATIENCE.saturating_mul(30);

fn parcel(bytes: &[u8]) -> Parcel {
    Parcel::new(bytes.to_vec(), None)
}

fn own() -> Process {
    Process::current().unwrap()
}

fn refusal(fetched: Result<Parcel>) -> String {
    let fault = fetched.err().expect("a fault");
    assert_eq!(fault.kind(), FaultKind::InvalidArgument, "{}", fault.text());
    fault.text().to_owned()
}

fn connect(here: &Broker) -> Connection {
    let door = here.server.lock().as_ref().expect("a server").door;
    connect_to(&here.socket_name(door))
}

/// Connects to a socket of this process.
fn connect_to(name: &str) -> Connection {
    let address = listener::address(own().id, |found| found == name).unwrap().expect("a socket");
    Connection::open(&address, LONG).unwrap()
}

/// Returns the broker's answer to these bytes: the packet, which is empty if the broker only closes the connection.
fn answer_to(here: &Broker, bytes: &[u8]) -> Vec<u8> {
    let connection = connect(here);
    connection.send(bytes, None).unwrap();
    let mut answer = vec![0; message::MOST];
    let (len, _) = connection.receive(&mut answer).unwrap();
    answer.truncate(len);
    answer
}

#[test]
fn what_is_offered_is_fetched() {
    static HERE: Broker = Broker::new("test-what_is_offered_is_f");
    let mut file = tempfile(c"offered");
    file.write_all(b"contents").unwrap();
    let offered = Parcel::new(vec![7; MOST_BYTES], Some(file.into()));
    let key = HERE.offer(OfferKind::Memory, offered, Admission::Anyone, Form::Number).unwrap();
    let text = Key::from_text(key.to_string().as_bytes()).unwrap();
    let number = Key::from_number(key.number()).unwrap();
    for key in [text, number] {
        let fetched = HERE.fetch(OfferKind::Memory, &key).unwrap();
        assert_eq!(fetched.bytes, [7; MOST_BYTES]);
        let mut file = File::from(fetched.descriptor.expect("a descriptor"));
        let mut contents = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut contents).unwrap();
        assert_eq!(contents, "contents");
    }
    assert!(refusal(HERE.fetch(OfferKind::Event, &key)).contains("another type"));
    assert!(!HERE.withdraw(OfferKind::Event, &key) && HERE.withdraw(OfferKind::Memory, &number));
    assert!(!HERE.withdraw(OfferKind::Memory, &key));
    assert!(refusal(HERE.fetch(OfferKind::Memory, &key)).contains("has no export with this key"));
    HERE.stop();
    assert!(refusal(HERE.fetch(OfferKind::Memory, &key)).contains("has finalized the library, or ended"));
}

/// Creates a file without a name.
fn tempfile(name: &CStr) -> File {
    // SAFETY: the name is a terminated string, and the descriptor that is returned is new and not shared.
    let descriptor = unsafe {
        let number = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        assert!(number >= 0);
        <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(number)
    };
    File::from(descriptor)
}

#[test]
fn offered_objects_live_while_a_process_has_a_lease() {
    static HERE: Broker = Broker::new("test-what_is_kept");
    let thing = Arc::new(7);
    let parcel = Parcel { kept: Some(Arc::clone(&thing) as _), ..parcel(b"a") };
    let key = HERE.offer(OfferKind::Memory, parcel, Admission::Anyone, Form::Text).unwrap();
    let leases = [(); 2].map(|()| HERE.fetch(OfferKind::Memory, &key).unwrap().kept.expect("a lease"));
    assert!(HERE.withdraw(OfferKind::Memory, &key));
    // Other requests do not affect the leases.
    assert!(HERE.fetch(OfferKind::Memory, &key).is_err());
    assert_eq!(Arc::strong_count(&thing), 3);
    for (index, lease) in leases.into_iter().enumerate() {
        drop(lease);
        while Arc::strong_count(&thing) != 2 - index {
            std::thread::yield_now();
        }
    }
    HERE.stop();
}

#[test]
fn lists_are_kept_to() {
    static HERE: Broker = Broker::new("test-lists_are_kept_to");
    let key = HERE.offer(OfferKind::Notify, parcel(b"a"), Admission::Listed, Form::Number).unwrap();
    let id = own().id;
    assert!(refusal(HERE.fetch(OfferKind::Notify, &key)).contains(&format!("does not allow this process, {id},")));
    // The second number is no process.
    assert!(HERE.admit(OfferKind::Notify, &key, &[1, (1 << 22) - 1]));
    assert!(refusal(HERE.fetch(OfferKind::Notify, &key)).contains("does not allow"));
    assert!(!HERE.admit(OfferKind::Memory, &key, &[id]));
    assert!(HERE.admit(OfferKind::Notify, &Key::from_number(key.number()).unwrap(), &[id]));
    assert_eq!(HERE.fetch(OfferKind::Notify, &key).unwrap().bytes, b"a");
    HERE.stop();
    assert!(!HERE.admit(OfferKind::Notify, &key, &[id]));
}

/// The number of a process does not admit a later process that has the same number.
#[test]
fn lists_name_processes_and_not_numbers() {
    static HERE: Broker = Broker::new("test-lists_name_processes");
    let key = HERE.offer(OfferKind::Notify, parcel(b"a"), Admission::Listed, Form::Text).unwrap();
    let Process { id, start, .. } = own();
    let request = Request::new(OfferKind::Notify, &key);
    assert!(HERE.admit(OfferKind::Notify, &key, &[id]));
    let asks = |start| HERE.answer(Caller { id, start }, &request).expect("it is offered");
    assert_eq!(asks(start).unwrap().bytes, b"a");
    assert!(refusal(asks(start + 1)).contains("does not allow this process"));
    HERE.stop();
}

#[test]
fn a_part_of_the_secret_is_enough_only_for_numbers() {
    static HERE: Broker = Broker::new("test-a_part_of_the_secret");
    for (form, is_enough) in [(Form::Text, false), (Form::Number, true)] {
        let key = HERE.offer(OfferKind::PhysicalMemory, parcel(b"a"), Admission::Anyone, form).unwrap();
        let number = Key::from_number(key.number()).unwrap();
        assert_eq!(HERE.fetch(OfferKind::PhysicalMemory, &number).is_ok(), is_enough, "{form:?}");
        assert!(HERE.fetch(OfferKind::PhysicalMemory, &key).is_ok());
    }
    HERE.stop();
}

/// Each wrong key takes longer than the previous one, and in the end there is no answer.
#[test]
fn wrong_keys_are_refused_slowly() {
    static HERE: Broker = Broker::new("test-wrong_keys_are_slow");
    let key = HERE.offer(OfferKind::PhysicalMemory, parcel(b"a"), Admission::Anyone, Form::Number).unwrap();
    let guess = Key::from_number(key.number() ^ 1).unwrap();
    let refused = (0..20).map(|_| refusal(HERE.fetch(OfferKind::PhysicalMemory, &guess)));
    let refused: Vec<_> = refused.take_while(|said| said.contains("has no export with this key")).collect();
    assert!((3..20).contains(&refused.len()), "{refused:?}");
    assert!(refusal(HERE.fetch(OfferKind::PhysicalMemory, &guess)).contains("too many wrong keys"));
    // The right one is found at any time.
    assert!(HERE.fetch(OfferKind::PhysicalMemory, &key).is_ok());
    HERE.stop();
}

/// Other sockets of the process, and files with such names, are not the server's.
#[test]
fn a_number_finds_the_socket_of_its_process() {
    static HERE: Broker = Broker::new("test-a_number_finds_the_s");
    let others = ["x", ""].map(|end| Listener::open(&format!("{}{end}", HERE.name)).unwrap());
    let path = std::env::temp_dir().join(format!("{}-{}", HERE.name, own().id));
    let _file = File::create(&path).unwrap();
    let key = HERE.offer(OfferKind::Memory, parcel(b"a"), Admission::Anyone, Form::Number).unwrap();
    let number = Key::from_number(key.number()).unwrap();
    assert_eq!(HERE.fetch(OfferKind::Memory, &number).unwrap().bytes, b"a");
    HERE.stop();
    assert!(refusal(HERE.fetch(OfferKind::Memory, &number)).contains("has no exports any longer"));
    std::fs::remove_file(path).unwrap();
    drop(others);
}

#[test]
fn a_guessed_secret_gets_nothing() {
    static HERE: Broker = Broker::new("test-a_guessed_secret_get");
    let key = HERE.offer(OfferKind::Memory, parcel(b"a"), Admission::Anyone, Form::Text).unwrap();
    let text = key.to_string();
    // The changed bits are not among those that the number has as well.
    let at = text.len() - 20;
    let digit = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
    let guessed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
    let guessed = Key::from_text(guessed.as_bytes()).unwrap();
    assert!(refusal(HERE.fetch(OfferKind::Memory, &guessed)).contains("has no export with this key"));
    assert!(!HERE.withdraw(OfferKind::Memory, &guessed) && !HERE.admit(OfferKind::Memory, &guessed, &[1]));
    HERE.stop();
}

#[test]
fn garbage_is_hung_up_on() {
    static HERE: Broker = Broker::new("test-garbage_is_hung_up_o");
    let key = HERE.offer(OfferKind::Memory, parcel(b"a"), Admission::Anyone, Form::Text).unwrap();
    let good = Request::new(OfferKind::Memory, &key).to_bytes();
    assert_ne!(answer_to(&HERE, &good), [0; 0]);
    let mut longer = good.to_vec();
    longer.push(0);
    let mut other = good;
    other[0] ^= 1;
    let mut flag = good;
    flag[16] = 2;
    let garbage = [&good[1..], &longer, &other, &flag, &[0xff; 4096], b"GET / HTTP/1.1"];
    for bytes in garbage {
        assert_eq!(answer_to(&HERE, bytes), [0; 0], "{bytes:?}");
    }
    // A descriptor that was not requested is closed.
    let is_open = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let mut targets = open.flatten().flat_map(|open| std::fs::read_link(open.path()));
        targets.any(|target| target.to_string_lossy().contains("unasked"))
    };
    let unasked = OwnedFd::from(tempfile(c"unasked"));
    assert!(is_open());
    let connection = connect(&HERE);
    match connection.send(&good, Some(unasked.as_fd())) {
        Ok(()) => assert!(connection.receive(&mut [0; message::MOST]).unwrap().0 > 0),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
    }
    drop((connection, unasked));
    assert!(HERE.fetch(OfferKind::Memory, &key).is_ok());
    assert!(!is_open());
    HERE.stop();
}

/// Whether the kernel can refuse descriptors (since Linux 6.16).
fn refuses_descriptors() -> bool {
    let (one, _other) = std::os::unix::net::UnixDatagram::pair().unwrap();
    socket::take_descriptors(one.as_fd(), false).is_ok()
}

/// Returns a socket with unsent bytes, whose last close waits for a minute.
fn slow_to_close() -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut slow = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    // The other end reads nothing.
    std::mem::forget(listener.accept().unwrap());
    slow.set_nonblocking(true).unwrap();
    while slow.write(&[0; 1 << 16]).is_ok() {}
    let linger = libc::linger { l_onoff: 1, l_linger: 60 };
    let (at, len) = ((&raw const linger).cast(), size_of::<libc::linger>() as libc::socklen_t);
    // SAFETY: an open socket, and a structure of that length.
    let set = unsafe { libc::setsockopt(slow.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, at, len) };
    assert_eq!(set, 0);
    slow
}

/// A process that can connect sends a descriptor whose close takes as long as it wants.
#[test]
fn a_descriptor_that_closes_slowly_delays_no_answer() {
    static HERE: Broker = Broker::new("test-a_descriptor_that_cl");
    if !refuses_descriptors() {
        return eprintln!("skipped: needs Linux 6.16");
    }
    let key = HERE.offer(OfferKind::Memory, parcel(b"a"), Admission::Anyone, Form::Text).unwrap();
    let good = Request::new(OfferKind::Memory, &key).to_bytes();
    for bytes in [&good[..], b"half"] {
        let slow = slow_to_close();
        let connection = connect(&HERE);
        let sent = connection.send(bytes, Some(slow.as_fd()));
        if sent.is_ok() {
            // The server has the last one.
            drop(slow);
        } else {
            std::mem::forget(slow);
        }
        drop(connection);
        assert!(HERE.fetch(OfferKind::Memory, &key).is_ok());
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
    HERE.stop();
}

/// An importer takes none before it knows who is at the other end.
#[test]
fn a_descriptor_comes_only_from_a_peer_that_is_trusted() {
    if !refuses_descriptors() {
        return eprintln!("skipped: needs Linux 6.16");
    }
    let listener = Listener::open("test-a_descriptor_comes_o").unwrap();
    let connection = connect_to("test-a_descriptor_comes_o");
    let (other, file) = (listener.accept().unwrap(), tempfile(c"sent"));
    assert_eq!(other.send(b"a", Some(file.as_fd())).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    connection.take_descriptor().unwrap();
    other.send(b"a", Some(file.as_fd())).unwrap();
    assert!(connection.receive(&mut [0; 8]).unwrap().1.is_some());
}

#[test]
fn silent_peers_delay_no_other_peer() {
    static HERE: Broker = Broker::new("test-the_silent_keep_nobo");
    let key = HERE.offer(OfferKind::Memory, parcel(b"a"), Admission::Anyone, Form::Text).unwrap();
    let open = |_| connect(&HERE);
    let silent: Vec<_> = (0..100).map(open).collect();
    assert!(HERE.fetch(OfferKind::Memory, &key).is_ok());
    // They are disconnected by later peers, and after a while.
    for connection in silent {
        assert_eq!(connection.receive(&mut [0; 8]).unwrap().0, 0);
    }
    HERE.stop();
}

/// Another process has the socket and sends nothing.
#[test]
fn waiting_for_a_silent_process_times_out() {
    static HERE: Broker = Broker::new("test-who_does_not_answer_");
    let own = own();
    let listener = Listener::open(&HERE.socket_name(5)).unwrap();
    let key = Key::new(&own, 5, [5; 16]);
    let before = Instant::now();
    assert!(refusal(HERE.fetch(OfferKind::Memory, &key)).contains("does not answer"));
    assert!(before.elapsed() >= PATIENCE);
    drop(listener);
}

/// Another process has the socket and sends garbage.
#[test]
fn nonsense_is_no_answer() {
    static HERE: Broker = Broker::new("test-nonsense_is_no_answe");
    let own = own();
    let listener = Listener::open(&HERE.socket_name(5)).unwrap();
    let key = Key::new(&own, 5, [5; 16]);
    let nonsense: [&[u8]; 4] = [&[1], b"portacl3", &[0; message::MOST], &[9; 2 * message::MOST]];
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            for bytes in nonsense {
                socket::wait(&[listener.bound().socket()], None);
                let connection = listener.accept().unwrap();
                socket::wait(&[connection.descriptor()], None);
                connection.receive(&mut [0; message::MOST]).unwrap();
                connection.send(bytes, None).unwrap();
            }
        });
        let said = nonsense.map(|_| refusal(HERE.fetch(OfferKind::Memory, &key)));
        answering.join().unwrap();
        said.iter().for_each(|said| assert!(said.contains("uses another version"), "{said}"));
    });
}

/// The program closes one of the descriptors, whose number becomes that of one of its files.
#[test]
fn a_socket_that_the_program_has_closed_opens_again() {
    for (lost, is_socket) in [(Bound::socket as fn(&Bound) -> &Descriptor, true), (Bound::file, false)] {
        let name = "test-a_socket_that_the_pr";
        let listener = Listener::open(name).unwrap();
        let (bound, file) = (listener.bound(), tempfile(c"program"));
        let lost = lost(&bound).number();
        assert!(!listener.reopen().unwrap(), "it is open");
        // SAFETY: the test owns both descriptors.
        assert_eq!(unsafe { libc::dup2(file.as_fd().as_raw_fd(), lost) }, lost);
        let address = listener::address(own().id, |found| found == name).unwrap();
        assert_eq!(address.is_none(), !is_socket);
        let text = listener.accept().err().expect("no connection is pending").to_string();
        assert_eq!(text.contains("belongs to this library"), is_socket, "the program's file is not used: {text}");
        assert!(listener.reopen().unwrap());
        drop(bound);
        let connection = connect_to(name);
        socket::wait(&[listener.bound().socket()], None);
        listener.accept().unwrap().send(b"hello", None).unwrap();
        let mut bytes = [0; 8];
        assert_eq!(connection.receive(&mut bytes).unwrap().0, 5);
        // SAFETY: asks whether the number is open.
        assert_ne!(unsafe { libc::fcntl(lost, libc::F_GETFD) }, -1, "the file stays open");
        // SAFETY: the number is that of the duplicate, which nothing uses any more.
        unsafe { libc::close(lost) };
    }
}

/// Neither the file of the socket nor its folder remains.
#[test]
fn nothing_remains_in_the_folder() {
    let folder = std::env::temp_dir().join(format!("test-nothing_remains-{}", own().id));
    std::fs::create_dir(&folder).unwrap();
    let socket = || socket::new_socket(SocketFlags::NONBLOCK).unwrap();
    let bound = Bound::in_folder(socket(), &folder, "test-nothing_remains").unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    drop(bound);
    // A name that is too long for a file fails after the folder was made.
    assert!(Bound::in_folder(socket(), &folder, &"x".repeat(300)).is_err());
    std::fs::remove_dir(folder).expect("an empty folder");
}
